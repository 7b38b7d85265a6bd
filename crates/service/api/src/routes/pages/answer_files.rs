//! The files of an answer to `POST /v1/pages`, and their signed links.

use contract::{Millis, PageFile, PageFileId};
use pages::FileContent;
use store::NewPageFile;

use crate::ApiState;
use crate::api_error::ApiResult;
use crate::item_files::LINK_LIFETIME;

/// The files of one answer, which are stored with its charge.
pub(super) struct AnswerFiles<'a> {
    state: &'a ApiState,
    public_url: &'a str,
    now: Millis,
    pub files: Vec<NewPageFile>,
}

impl<'a> AnswerFiles<'a> {
    /// With links at the URL of the service that the client knows.
    pub fn new(state: &'a ApiState, public_url: &'a str) -> Self {
        Self { state, public_url, now: state.now(), files: Vec::new() }
    }

    /// Adds a file; returns its link.
    pub fn add(&mut self, content: Option<FileContent>) -> ApiResult<Option<PageFile>> {
        let Some(FileContent { content_type, body }) = content else { return Ok(None) };
        let id = PageFileId::new(self.now, rand::random());
        let ticket = self.state.store.page_file_ticket(&id)?;
        let expires_at = self.now.plus(LINK_LIFETIME);
        let file = PageFile {
            url: format!("{}/page-files/{ticket}", self.public_url.trim_end_matches('/')),
            content_type: content_type.clone(),
            bytes: body.len() as u64,
            expires_at,
        };
        self.files.push(NewPageFile { id, content_type, body, expires_at });
        Ok(Some(file))
    }
}
