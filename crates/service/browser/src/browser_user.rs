//! The system user that runs Chromium: never root.

use std::fs;

/// User and group id of an unprivileged user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct BrowserUser {
    pub(crate) uid: u32,
    pub(crate) gid: u32,
}

/// The user that runs Chromium; `None` if this process is not root, and Chromium runs as the same
/// user.
///
/// # Errors
/// A message with the cause and the remedy.
pub(crate) fn find(name: &str) -> Result<Option<BrowserUser>, String> {
    if !rustix::process::geteuid().is_root() {
        return Ok(None);
    }
    let users = fs::read_to_string("/etc/passwd").unwrap_or_default();
    find_in(&users, name).map(Some)
}

fn find_in(users: &str, name: &str) -> Result<BrowserUser, String> {
    let user = users.lines().find_map(|line| {
        let mut fields = line.split(':');
        (fields.next() == Some(name)).then_some(())?;
        // Skips the password field.
        let uid = fields.nth(1)?.parse().ok()?;
        Some(BrowserUser { uid, gid: fields.next()?.parse().ok()? })
    });
    match user {
        Some(BrowserUser { uid: 0, .. }) => Err(format!(
            "Chromium must not run as root, and user {name} is root: set chromium_user to an \
             unprivileged user"
        )),
        Some(user) => Ok(user),
        None => Err(format!(
            "Chromium must not run as root, and user {name:?} does not exist: create it with \
             `useradd --system`, or set chromium_user to another user"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const USERS: &str = "root:x:0:0:root:/root:/bin/sh\n\
        nobody:x:65534:65533:nobody:/nonexistent:/usr/sbin/nologin\nbroken:x:y";

    #[test]
    fn unprivileged_user_is_found_and_root_is_refused() {
        assert_eq!(find_in(USERS, "nobody"), Ok(BrowserUser { uid: 65534, gid: 65533 }));
        for (name, cause) in [("root", "is root"), ("absent", "useradd"), ("broken", "useradd")] {
            let refused = find_in(USERS, name).expect_err(name);
            assert!(refused.contains(cause) && refused.contains("chromium_user"), "{refused}");
        }
    }
}
