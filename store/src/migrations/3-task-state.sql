-- What the agent of a conversation needs to know and its messages do not say, such as the to-do list: a JSON value.
ALTER TABLE sessions ADD COLUMN state TEXT;
