//! Shared answers are checked on the CPU, whichever device is named first.

use super::{column, cpu};
use pointsman::report::VerificationReport;
use pointsman::{FailureClass, SessionOptions};
use pointsman_device::sim::{SimDevice, SimFault, SimOptions};
use std::sync::Arc;
use std::time::Duration;

#[test]
fn results_of_partner_devices_are_verified() {
    let flip = SimFault::FlipBit { launch: 0, output: 0, bit: 77 };
    for place in ["cpu+sim", "sim+cpu"] {
        let device = Arc::new(SimDevice::new(SimOptions { faults: vec![flip], ..SimOptions::default() }));
        let (verify_share, share_time_min) = (1.0, Duration::ZERO);
        let options =
            SessionOptions::new().verify_share(verify_share).share_time_min(share_time_min).cpu_concurrency(1);
        let session = options.threads(2).add_device(device.clone()).open().unwrap();
        // Enough rows that the CPU is not done before the device's thread asks for some.
        let x = column(2000);
        let query = session.from(&x).map(|x| x + 1.0).prefer(place);
        let answer = query.run().unwrap();
        assert_eq!(device.fired(), [flip], "{place}");
        let expected = cpu().from(&x).map(|x| x + 1.0).run().unwrap();
        assert!(answer[..] == expected[..], "{place}: the caller got the wrong bit");
        let receipt = answer.receipt();
        let attempt = &receipt.attempts()[0];
        assert_eq!((receipt.device(), attempt.class), ("cpu", FailureClass::Mismatch), "{place}: {receipt:#}");
        assert!(attempt.message.contains(&format!("`{place}` gave another answer")), "{}", attempt.message);
        assert_eq!(session.verification(), VerificationReport { checked: 1, differed: 1, skipped: 0 }, "{place}");
        let error = session.from(&x).map(|x| x + 1.0).require("sim").run().unwrap_err();
        assert!(error.message().contains("not used any more in this session, because it was wrong"), "{error}");
    }
}
