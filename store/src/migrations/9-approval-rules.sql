-- A rule about calls that the person has allowed, as the text of a file of permissions. NULL for a command.
ALTER TABLE approvals ADD COLUMN rule TEXT;
