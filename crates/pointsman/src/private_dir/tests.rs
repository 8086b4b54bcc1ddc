//! Directories and entries that another user could have written are refused, whatever happens after the directory is
//! opened.
#![allow(clippy::unwrap_used)]

use super::scratch::Scratch;
use super::*;
use std::fs::Permissions;
use std::io::Read;
use std::os::unix::fs::{PermissionsExt, chown, symlink};

/// A user that this process is not.
const STRANGER: u32 = 12_345;

impl Scratch {
    fn directory(&self, name: &str, mode: u32) -> PathBuf {
        let path = self.0.join(name);
        fs::create_dir_all(&path).unwrap();
        fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
        path
    }
}

fn write(path: &Path, text: &str, mode: u32) {
    fs::write(path, text).unwrap();
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

fn read(directory: &PrivateDir, name: &str) -> Result<String, EntryRefusal> {
    let mut text = String::new();
    directory.open_file(name)?.read_to_string(&mut text).unwrap();
    Ok(text)
}

#[track_caller]
fn check_refused(directory: &PrivateDir, name: &str, reason: &str) {
    match read(directory, name) {
        Err(EntryRefusal::Untrusted(why)) => assert!(why.contains(reason) && why.contains(name), "{why}"),
        other => panic!("{name}: {other:?}"),
    }
}

/// A stranger can chown nothing, so only the superuser can make a foreign file.
fn is_superuser() -> bool {
    effective_user() == Some(0)
}

#[test]
fn retargeted_link_does_not_move_an_open_directory() {
    let scratch = Scratch::new();
    let (own, foreign) = (scratch.directory("own", 0o700), scratch.directory("foreign", 0o777));
    write(&own.join("entry"), "own", 0o600);
    write(&foreign.join("entry"), "planted", 0o600);
    let link = scratch.0.join("link");
    symlink(&own, &link).unwrap();
    let directory = PrivateDir::open(&link).unwrap();
    fs::remove_file(&link).unwrap();
    symlink(&foreign, &link).unwrap();
    assert_eq!(read(&directory, "entry").unwrap(), "own");
    directory.create_file("new").unwrap();
    directory.rename("new", "newer").unwrap();
    directory.remove("entry").unwrap();
    assert_eq!(directory.names().unwrap().collect::<Vec<_>>(), ["newer"]);
    assert_eq!(fs::read_dir(&foreign).unwrap().count(), 1, "the other directory is as it was");
    assert!(PrivateDir::open(&link).unwrap_err().contains("may be written by others"));
}

#[test]
fn entry_that_others_could_have_written_is_refused() {
    let scratch = Scratch::new();
    let path = scratch.directory("own", 0o700);
    let directory = PrivateDir::open(&path).unwrap();
    write(&path.join("good"), "good", 0o644);
    assert_eq!(read(&directory, "good").unwrap(), "good");
    write(&path.join("for all"), "planted", 0o666);
    write(&path.join("for the group"), "planted", 0o620);
    symlink(path.join("good"), path.join("link")).unwrap();
    fs::create_dir(path.join("folder")).unwrap();
    check_refused(&directory, "for all", "may be written by others");
    check_refused(&directory, "for the group", "may be written by others");
    check_refused(&directory, "link", "is a link");
    check_refused(&directory, "folder", "not a regular file");
    assert!(matches!(read(&directory, "none"), Err(EntryRefusal::Absent)));
    if is_superuser() {
        write(&path.join("foreign"), "planted", 0o600);
        chown(path.join("foreign"), Some(STRANGER), None).unwrap();
        check_refused(&directory, "foreign", "belongs to another user");
    }
}

#[test]
fn lock_that_is_a_link_is_refused_and_its_target_is_not_created() {
    let scratch = Scratch::new();
    let path = scratch.directory("own", 0o700);
    let directory = PrivateDir::open(&path).unwrap();
    symlink(scratch.0.join("target"), path.join("lock")).unwrap();
    assert!(matches!(directory.open_lock("lock"), Err(EntryRefusal::Untrusted(_))));
    assert!(!scratch.0.join("target").exists());
    directory.open_lock("other lock").unwrap().try_lock().unwrap();
}

#[test]
fn directory_that_others_can_write_to_or_replace_is_refused() {
    let scratch = Scratch::new();
    for mode in [0o777, 0o720, 0o702] {
        let path = scratch.directory(&format!("{mode:o}"), mode);
        let why = PrivateDir::open(&path).unwrap_err();
        assert!(why.contains("may be written by others") && why.contains("chmod"), "{why}");
    }
    for (name, mode) in [("open to all", 0o777), ("open to the group", 0o775)] {
        let parent = scratch.directory(name, mode);
        for inside in ["a", "a/b/c"] {
            let why = PrivateDir::open(&parent.join(inside)).unwrap_err();
            assert!(why.contains("who could replace") && why.contains(name), "{why}");
        }
    }
    let sticky = scratch.directory("sticky", 0o1777);
    PrivateDir::open(&sticky.join("a/b")).unwrap();
    if is_superuser() {
        let foreign = scratch.directory("foreign", 0o755);
        chown(&foreign, Some(STRANGER), None).unwrap();
        assert!(PrivateDir::open(&foreign).unwrap_err().contains("belongs to another user"));
        assert!(PrivateDir::open(&foreign.join("a")).unwrap_err().contains("belongs to another user"));
    }
}
