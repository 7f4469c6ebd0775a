"""The files of the repository that are generated from the code: schemas, deployment, pages, archive of releases."""
