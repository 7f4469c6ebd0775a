"""The files of the repository that follow from the code: schemas, deployment, pages, archive of releases."""
