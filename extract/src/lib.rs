//! Turns what a server has sent, such as a page, a PDF or a feed, into Markdown for a language model.
