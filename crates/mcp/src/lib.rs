//! The tools by which an assistant uses the service.
