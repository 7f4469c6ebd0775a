-- What 0002_returned.py runs.

ALTER TABLE vigorish.owed ADD COLUMN returned BIGINT NOT NULL DEFAULT 0;
ALTER TABLE vigorish.owed ALTER COLUMN returned DROP DEFAULT;
