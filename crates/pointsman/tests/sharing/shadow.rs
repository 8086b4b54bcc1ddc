//! Shared answers are checked on the CPU, whoever is named first.

use crate::{column, cpu};
use pointsman::{FailureClass, Options, Session, ShadowReport};
use pointsman_device::sim::{SimDevice, SimFault, SimOptions};
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

#[test]
fn what_a_device_did_beside_the_cpu_is_checked() {
    let flip = SimFault::FlipBit { launch: 0, output: 0, bit: 77 };
    for place in ["cpu+sim", "sim+cpu"] {
        let device = Arc::new(SimDevice::new(SimOptions { faults: vec![flip], ..SimOptions::default() }));
        let options = Options { shadow_share: 1.0, cpu_concurrency: 1, ..Options::default() };
        let session = Session::builder().threads(2).device(device.clone()).options(options).open().unwrap();
        // The CPU's first batch is not done before the device has launched one.
        let (told, launched) = mpsc::channel();
        device.on_launch(move |_| told.send(()).unwrap_or_default());
        let launched = Mutex::new(launched);
        let x = column(200);
        let query = session.from(&x).map(|x| x + 1.0).prefer(place).on_progress(move |progress| {
            if progress.batches == 1 && progress.rows_done < progress.rows {
                let _ = launched.lock().unwrap().recv_timeout(Duration::from_secs(60));
            }
        });
        let answer = query.run().unwrap();
        assert_eq!(device.fired(), [flip], "{place}");
        let expected = cpu().from(&x).map(|x| x + 1.0).run().unwrap();
        assert!(answer[..] == expected[..], "{place}: the caller got the wrong bit");
        let receipt = answer.receipt();
        let attempt = &receipt.attempts()[0];
        assert_eq!((receipt.device(), attempt.class), ("cpu", FailureClass::Mismatch), "{place}: {receipt:#}");
        assert!(attempt.message.contains(&format!("`{place}` gave another answer")), "{}", attempt.message);
        assert_eq!(session.shadow(), ShadowReport { checked: 1, differed: 1, passed_over: 0 }, "{place}");
        let error = session.from(&x).map(|x| x + 1.0).require("sim").run().unwrap_err();
        assert!(error.message().contains("not used any more in this session, because it was wrong"), "{error}");
    }
}
