//! Reads the page of a valid call and charges it, on the node of the client or on the one that the
//! call was forwarded to.

use std::time::Duration;

use contract::{Credits, FieldError, PageAnswer, PageFormat, PageProblem, ProblemCode, ReadPage};
use pages::{DeliveredPage, FailureKind, FileContent, PageCall, PageFailure, PageOutcome};
use privacy::Denylist;
use store::{NewPageRead, PageCallRequest, PageCover, PageDelivery, PageReplay};
use urls::{CanonicalUrl, SiteKey, is_sample_host};

use super::answer_files::AnswerFiles;
use crate::ApiState;
use crate::api_error::{ApiError, ApiResult};

/// Where the charge and the answer are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AnswerTo {
    /// The client of this node.
    Client,
    /// The node that has forwarded the call.
    Node,
}

/// The outcome of a call that did not fail.
#[derive(Debug)]
pub(super) enum PageReply {
    /// Charged, with the answer as JSON.
    Answer(String),
    /// Another request with the same key was answered first.
    Replayed(PageReplay),
    /// The answer cannot be returned through the other node; nothing was charged.
    NotForwarded,
}

/// The rates of a page, and which of them the request accepts.
struct Prices {
    normal: Credits,
    protected: Credits,
    accepts_protected: bool,
}

/// A valid call with its prices.
pub(super) struct PageReading<'a> {
    state: &'a ApiState,
    call: &'a PageCallRequest,
    pub request: &'a ReadPage,
    pub url: &'a CanonicalUrl,
    prices: Prices,
}

impl<'a> PageReading<'a> {
    /// # Errors
    /// The maximum rate of the request is below the normal one.
    pub fn new(
        state: &'a ApiState,
        call: &'a PageCallRequest,
        request: &'a ReadPage,
        url: &'a CanonicalUrl,
    ) -> ApiResult<Self> {
        let prices = Prices::of(request, url, state)?;
        Ok(Self { state, call, request, url, prices })
    }

    /// What is available for the page. Checked before the site is asked, and again with the charge.
    ///
    /// # Errors
    /// It does not cover the normal rate.
    pub async fn cover(&self) -> ApiResult<PageCover> {
        let (store, prices) = (&self.state.store, &self.prices);
        let (account, creator) = (&self.call.account, self.call.creator.as_ref());
        let now = self.state.now();
        let most = if prices.accepts_protected { prices.protected } else { prices.normal };
        let cover = store.page_cover(account, creator, most, now).await?;
        if cover.available < prices.normal {
            let cover = store.page_cover(account, creator, prices.normal, now).await?;
            return Err(ApiError::page_not_covered(cover, &self.state.settings));
        }
        Ok(cover)
    }

    /// Reads the page and charges it with its answer.
    pub async fn read_and_charge(
        &self,
        cover: PageCover,
        within: Duration,
        to: AnswerTo,
    ) -> ApiResult<PageReply> {
        let (state, call, request) = (self.state, self.call, self.request);
        let delivered = self.read(cover, within).await?;
        let DeliveredPage {
            item,
            overlay,
            units,
            protected,
            metadata,
            links,
            fetched_at,
            cached,
            html,
            raw_html,
            screenshot,
            warnings,
        } = delivered;
        let mut files = AnswerFiles::new(state, &call.public_url);
        let answer = PageAnswer {
            page_id: call.page_id.clone(),
            url: self.url.to_string(),
            mode: request.mode,
            item: None,
            metadata: metadata.filter(|_| request.has(PageFormat::Metadata)),
            links: request.has(PageFormat::Links).then_some(links),
            html: files.add(html)?,
            raw_html: files.add(raw_html)?,
            screenshot: files.add(screenshot)?,
            warnings,
            cached,
            fetched_at,
            credits_used: Credits::ZERO,
            protected,
        };
        let new = NewPageRead {
            account: call.account.clone(),
            creator: call.creator.clone(),
            source: call.source.clone(),
            rate: if protected { self.prices.protected } else { self.prices.normal },
            units,
            item,
            overlay,
            with_item: request.has(PageFormat::Item),
            answer,
            files: files.files,
            idempotency: call.idempotency.clone(),
            acceptance: call.acceptance.clone(),
            is_forwarded: to == AnswerTo::Node,
        };
        match state.store.deliver_page(&new, state.now()).await? {
            PageDelivery::Delivered { answer, .. } => Ok(PageReply::Answer(answer)),
            PageDelivery::Replayed(replay) => Ok(PageReply::Replayed(replay)),
            PageDelivery::NotForwarded => Ok(PageReply::NotForwarded),
            PageDelivery::Suspended => Err(ApiError::suspended()),
            PageDelivery::Short(cover) => Err(ApiError::page_not_covered(cover, &state.settings)),
        }
    }

    /// Reads the page, without charging it.
    async fn read(&self, cover: PageCover, within: Duration) -> ApiResult<DeliveredPage> {
        let (state, request, url, prices) = (self.state, self.request, self.url, &self.prices);
        state.store.refresh_opt_outs().await?;
        let denylist = Denylist {
            blocked_domains: state.settings.blocked_domains.clone(),
            opt_outs: state.store.opt_outs(),
        };
        let call = PageCall {
            id: self.call.page_id.clone(),
            account: self.call.account.to_string(),
            mode: request.mode,
            url: url.clone(),
            input: request.url.clone(),
            options: request.options.clone().into(),
            access: request.access(),
            with_links: request.has(PageFormat::Links),
            accepts_protected: prices.accepts_protected && cover.is_enough(),
            learned: state.store.template(SiteKey::of(url).as_str()).await?,
            denylist,
            opt_outs_version: state.store.opt_outs_version(),
            within,
        };
        match state.pages().read(call).await {
            PageOutcome::Delivered(page) => Ok(*page),
            PageOutcome::NotDelivered(failure) => Err(not_delivered(failure)),
            PageOutcome::Protected { .. } if prices.accepts_protected && !cover.is_enough() => {
                Err(ApiError::page_not_covered(cover, &state.settings))
            }
            PageOutcome::Protected { marker } => Err(protected(&marker, prices)),
            PageOutcome::ActionFailed { action, message, screenshot } => {
                Err(self.action_failed(action, &message, screenshot).await?)
            }
            PageOutcome::Internal(cause) => Err(ApiError::internal(cause)),
        }
    }

    /// The error of a failed action, with the picture of the page.
    async fn action_failed(
        &self,
        action: usize,
        cause: &str,
        screenshot: Option<FileContent>,
    ) -> ApiResult<ApiError> {
        let (state, account) = (self.state, &self.call.account);
        let mut files = AnswerFiles::new(state, &self.call.public_url);
        let screenshot = files.add(screenshot)?;
        if screenshot.is_some() {
            state.store.keep_page_files(account, &files.files, state.now()).await?;
        }
        let action_number = u32::try_from(action).ok();
        let page = PageProblem { action: action_number, screenshot, ..PageProblem::default() };
        let message = format!("actions[{action}]: {cause}");
        Ok(ApiError::new(ProblemCode::ActionFailed, message).page(page))
    }
}

impl Prices {
    /// # Errors
    /// The maximum rate of the request is below the normal one.
    fn of(request: &ReadPage, url: &CanonicalUrl, state: &ApiState) -> ApiResult<Self> {
        let rates = state.store.rates();
        let (normal, protected) = (rates.normal(request.mode), rates.protected(request.mode));
        if let Some(ceiling) = request.max_credit_per_unit
            && ceiling < normal
        {
            let message = format!("must be at least {normal}, the rate of mode {}", request.mode);
            return Err(FieldError::new("max_credit_per_unit", message).into());
        }
        let accepts_protected = request.accepted_rate().is_some_and(|most| protected <= most);
        if is_sample_host(url.bare_host()) {
            let free = Credits::ZERO;
            return Ok(Self { normal: free, protected: free, accepts_protected });
        }
        Ok(Self { normal, protected, accepts_protected })
    }
}

fn protected(marker: &str, prices: &Prices) -> ApiError {
    let rate = prices.protected;
    let message = format!(
        "the site is behind bot protection ({marker}); reading the page costs {rate} credits: \
         accept them by max_credit_per_unit"
    );
    let page = PageProblem { credit_per_unit: Some(rate), ..PageProblem::default() };
    ApiError::new(ProblemCode::PageProtected, message).page(page)
}

pub(crate) fn not_delivered(failure: PageFailure) -> ApiError {
    let PageFailure { kind, code, cause, reason, status_code, message } = failure;
    let page = PageProblem {
        cause: Some(code),
        failure_cause: cause,
        reason,
        status_code,
        ..PageProblem::default()
    };
    let error = match kind {
        FailureKind::Address if code == contract::ErrorCode::UrlNotResolved => {
            ApiError::of_field(ProblemCode::UrlNotResolved, "url", message)
        }
        FailureKind::Address => FieldError::new("url", message).into(),
        FailureKind::Skipped => ApiError::new(ProblemCode::PageSkipped, message),
        FailureKind::Site => ApiError::new(ProblemCode::PageFailed, message),
        FailureKind::TimedOut => ApiError::new(ProblemCode::PageTimeout, message),
        FailureKind::Internal => ApiError::internal(message),
    };
    error.page(page)
}
