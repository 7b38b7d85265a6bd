//! Delivery of a page that was read at once: the charge, its ledger line, the acceptance and the
//! answer for retries, in one transaction. There is no job.

use contract::{AccountId, Creator, Credits, Item, LedgerId, Millis, PageAnswer, Units};
use journal::Overlay;
use serde_json::Value;

use crate::account_lock::lock_account;
use crate::blob::Upload;
use crate::columns::{ExecuteIn, Tx, scalar, sql, to_json};
use crate::idempotency::{IdempotencyKey, PageReplay};
use crate::page_file::PackedFile;
use crate::redacted_commit::{damaged, redacted_page};
use crate::{
    NewAcceptance, NewPageFile, Result, Store, StoreError, acceptance, idempotency, limits,
    page_call, page_file, random, run_page,
};
use runtime::off_runtime;

/// A page that was read and is not charged yet.
#[derive(Debug, Clone)]
pub struct NewPageRead {
    pub account: AccountId,
    pub creator: Option<Creator>,
    /// The channel that it is counted for.
    pub source: String,
    /// The rate per unit; zero for sample sites.
    pub rate: Credits,
    /// The units that the item is charged as: 0 or 1.
    pub units: u64,
    pub item: Item,
    /// Values of the item that are known at the end of the run.
    pub overlay: Option<Overlay>,
    /// Whether the answer contains the item.
    pub with_item: bool,
    /// The answer without the item and the credits.
    pub answer: PageAnswer<Value>,
    /// The files that the answer has links to. They are withheld if an opt-out covers a part of the
    /// page.
    pub files: Vec<NewPageFile>,
    pub idempotency: Option<IdempotencyKey>,
    /// The accepted lawful basis, for modes that require one.
    pub acceptance: Option<NewAcceptance>,
    /// Whether another node has forwarded the call: the answer is written for it.
    pub is_forwarded: bool,
}

/// The outcome of [`Store::deliver_page`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PageDelivery {
    /// Charged, with the answer as JSON.
    Delivered { answer: String, charged: Credits },
    /// Another request with the same key was answered first; nothing was charged.
    Replayed(PageReplay),
    /// The node that has forwarded the call has withdrawn it, or the answer is too large to be
    /// returned through it; nothing was charged.
    NotForwarded,
    /// The account is suspended; nothing was charged.
    Suspended,
    /// The balance, or the budget of the credential, does not cover the page; nothing was charged.
    Short(PageCover),
}

/// What is available for a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageCover {
    pub required: Credits,
    /// Credits of the account, or of the budget of the credential if that is less.
    pub available: Credits,
    /// Whether the account has enough credits and the budget of the credential has not.
    pub is_budget: bool,
}

impl PageCover {
    #[must_use]
    pub fn is_enough(&self) -> bool {
        self.available >= self.required
    }
}

const AVAILABLE: &str = "SELECT balance - reserved FROM accounts WHERE id = $1";
const OPT_OUTS: &str = "SELECT version FROM objection_list WHERE id = 1";
const DEBIT: &str = "UPDATE accounts SET balance = balance - $2 \
    WHERE id = $1 AND balance - reserved >= $2";
const DEBIT_LINE: &str = "INSERT INTO ledger (id, account_id, kind, amount, units, page_id, mode, \
    source, day, at) VALUES ($1, $2, 'debit', $3, $4, $5, $6, $7, $8, $9)";

impl Store {
    /// Whether the account and the budget of the credential cover `required` credits now. Reserves
    /// nothing.
    pub async fn page_cover(
        &self,
        account: &AccountId,
        creator: Option<&Creator>,
        required: Credits,
        now: Millis,
    ) -> Result<PageCover> {
        let mut tx = self.reader()?.begin().await?;
        let cover = cover(&mut tx, account, creator, required, now).await?;
        tx.rollback().await?;
        Ok(cover)
    }

    /// Charges a page, and stores its answer for retries with the same key, in one transaction. The
    /// item and the answer are redacted with the opt-outs in force. A redacted page that lost what
    /// it is charged for is free.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails. Whether the page was charged is then unknown until
    /// [`Store::replay_page`].
    pub async fn deliver_page(&self, read: &NewPageRead, now: Millis) -> Result<PageDelivery> {
        let mut files = off_runtime(|| page_file::pack(&read.files))?;
        let upload = self.upload(page_file::blobs_of(&mut files), now).await?;
        let mut refers_to_upload = false;
        let delivery =
            self.deliver_uploaded(read, &files, (&upload, &mut refers_to_upload), now).await;
        // After an error it is unknown whether the transaction was committed.
        if delivery.is_ok() && !refers_to_upload {
            upload.discard().await;
        }
        delivery
    }

    async fn deliver_uploaded(
        &self,
        read: &NewPageRead,
        files: &[PackedFile<'_>],
        (upload, refers_to_upload): (&Upload, &mut bool),
        now: Millis,
    ) -> Result<PageDelivery> {
        let known = self.known_opt_outs();
        let mut page = off_runtime(|| encode(&known.list, read, self.page_price(read)))?;
        let (account, creator) = (&read.account, read.creator.as_ref());
        let mut tx = self.begin().await?;
        let held = lock_account(&mut tx, account).await?.ok_or(StoreError::AccountClosed)?;
        if let Some(key) = &read.idempotency {
            match idempotency::find_page(&mut *tx, account, key, now).await? {
                PageReplay::New => {}
                replay => {
                    tx.rollback().await?;
                    return Ok(PageDelivery::Replayed(replay));
                }
            }
        }
        if held.suspended {
            return Ok(PageDelivery::Suspended);
        }
        // An erasure adds its opt-out first: this page is redacted with it, or its answer is found.
        let version: i64 = scalar!(OPT_OUTS).fetch_one(&mut *tx).await?;
        if version != known.version {
            let list = self.opt_outs_in(&mut tx, version).await?;
            page = off_runtime(|| encode(&list, read, self.page_price(read)))?;
        }
        let cost = page.cost;
        if cost > Credits::ZERO {
            let is_debited = sql!(DEBIT; account, cost).run(&mut tx).await? == 1;
            let charged = (cost, Credits::ZERO);
            if !is_debited || !limits::charge(&mut tx, account, creator, charged, now).await? {
                tx.rollback().await?;
                return self.page_cover(account, creator, cost, now).await.map(PageDelivery::Short);
            }
            let answer = &read.answer;
            sql!(DEBIT_LINE; LedgerId::new(now, random()), account, -cost.0, Units(page.units),
                answer.page_id, answer.mode, read.source, now.day(), now)
            .run(&mut tx)
            .await?;
        }
        if let Some(accepted) = &read.acceptance {
            let id = read.answer.page_id.as_str();
            acceptance::insert_page(&mut tx, id, account, accepted, now).await?;
        }
        if !page.withholds_files {
            upload.insert(&mut tx).await?;
            page_file::insert(&mut tx, account, files, now).await?;
        }
        if let Some(key) = &read.idempotency {
            idempotency::insert_page(&mut tx, account, key, &page.text, now).await?;
        }
        if read.is_forwarded
            && !page_call::deliver(self, &mut tx, &read.answer.page_id, &page.text).await?
        {
            tx.rollback().await?;
            return Ok(PageDelivery::NotForwarded);
        }
        tx.commit().await?;
        *refers_to_upload = !page.withholds_files;
        Ok(PageDelivery::Delivered { answer: page.text, charged: cost })
    }

    /// The price of the page if nothing of it is redacted.
    fn page_price(&self, read: &NewPageRead) -> Result<Credits> {
        let price = read.rate.times(Units(read.units));
        price.ok_or_else(|| StoreError::Damaged(format!("the price of {} units", read.units)))
    }
}

/// A page as it is charged and answered.
struct EncodedPage {
    text: String,
    units: u64,
    cost: Credits,
    withholds_files: bool,
}

const WITHHELD: &str = "html, raw_html and screenshot are withheld: the page has data of a person or \
    domain that opted out";

fn encode(
    opt_outs: &privacy::OptOuts,
    read: &NewPageRead,
    price: Result<Credits>,
) -> Result<EncodedPage> {
    let (mut item, is_redacted, is_free) = redacted_page(opt_outs, &read.item)?;
    if let Some(overlay) = &read.overlay {
        overlay.apply(0, &mut item);
    }
    let (units, cost) = if is_free { (0, Credits::ZERO) } else { (read.units, price?) };
    let mut answer = read.answer.clone();
    answer.item = read.with_item.then_some(item);
    answer.credits_used = cost;
    let mut text = to_json(&answer)?;
    let redacted = privacy::redact_json(opt_outs, &text).map_err(damaged)?;
    let withholds_files = !read.files.is_empty()
        && (is_redacted || redacted.is_some() || read.files.iter().any(|f| covers(opt_outs, f)));
    if withholds_files {
        (answer.html, answer.raw_html, answer.screenshot) = (None, None, None);
        answer.warnings.push(WITHHELD.to_owned());
        text = to_json(&answer)?;
        text = privacy::redact_json(opt_outs, &text).map_err(damaged)?.unwrap_or(text);
    } else if let Some(redacted) = redacted {
        text = redacted;
    }
    Ok(EncodedPage { text, units, cost, withholds_files })
}

/// Whether an opt-out covers an e-mail address in the text of a file.
fn covers(opt_outs: &privacy::OptOuts, file: &NewPageFile) -> bool {
    !opt_outs.is_empty()
        && !file.content_type.starts_with("image/")
        && run_page::covers_html(opt_outs, &String::from_utf8_lossy(&file.body))
}

async fn cover(
    tx: &mut Tx,
    account: &AccountId,
    creator: Option<&Creator>,
    required: Credits,
    now: Millis,
) -> Result<PageCover> {
    let available: Option<i64> = scalar!(AVAILABLE; account).fetch_optional(&mut **tx).await?;
    let of_account = Credits(available.ok_or(StoreError::AccountClosed)?);
    let budget = limits::remaining(tx, account, creator, now).await?;
    let available = budget.map_or(of_account, |budget| budget.min(of_account).max(Credits::ZERO));
    let is_budget = available < required && required <= of_account;
    Ok(PageCover { required, available, is_budget })
}
