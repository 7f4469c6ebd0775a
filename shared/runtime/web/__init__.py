"""The HTTP edge: who calls, problem documents, pages, reports."""
