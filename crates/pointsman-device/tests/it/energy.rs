//! Energy readings of real devices. Skipped, with the reason, where no device reports any; fails where a device reports
//! one that we cannot read.

#[cfg(feature = "cuda")]
use crate::cuda::card;
use pointsman_device::cpu::CpuDevice;
use pointsman_device::energy::rapl::POWERCAP;
use pointsman_device::sim::{SimDevice, SimOptions, SimSpeed, SimWatts};
use pointsman_device::{BufferRange, Device, DeviceErrorKind, EnergyReading, Priority};
use std::time::{Duration, Instant};

/// How long a device is kept busy: its driver may update the counter only ten times a second.
const BUSY: Duration = Duration::from_secs(1);
/// The plausible range of a single device's power, in watts.
const WATTS: std::ops::Range<f64> = 0.1..5000.0;

/// Copies bytes to a device and back for the required time.
fn keep_busy(device: &dyn Device) -> Duration {
    let (stream, bytes) = (device.open_stream(Priority::Normal).expect("a stream"), vec![1u8; 1 << 24]);
    let buffer = device.allocate(bytes.len()).expect("memory");
    let range = BufferRange { buffer, offset: 0, bytes: bytes.len() as u64 };
    let (start, mut back) = (Instant::now(), vec![0; bytes.len()]);
    while start.elapsed() < BUSY {
        device.upload(stream, &bytes, range).expect("a copy in");
        device.download(stream, range, &mut back, BUSY * 10).expect("a copy out");
    }
    assert_eq!(back, bytes);
    device.free(buffer);
    device.close_stream(stream);
    start.elapsed()
}

/// Watts between two readings.
fn watts(before: EnergyReading, after: EnergyReading, time: Duration) -> f64 {
    match (before, after) {
        (EnergyReading::Counted(before), EnergyReading::Counted(after)) => (after - before) / time.as_secs_f64(),
        (_, EnergyReading::Drawn(watts)) | (EnergyReading::Drawn(watts), EnergyReading::Counted(_)) => watts,
    }
}

/// The power of a busy device; `None`, with the reason printed, if it is not reported and need not be by `tells`.
fn draws(device: &dyn Device, tells: impl FnOnce() -> bool) -> Option<f64> {
    let name = &device.info().name;
    let before = match device.energy() {
        Ok(before) => before,
        Err(error) => {
            assert_eq!(error.kind, DeviceErrorKind::Unsupported);
            assert!(!error.message.is_empty() && !tells(), "{name} tells what it draws, but: {error}");
            eprintln!("skipped: {name}: {error}");
            return None;
        }
    };
    let time = keep_busy(device);
    let drawn = watts(before, device.energy().expect("it told before"), time);
    eprintln!("{name} draws {drawn:.1} W, copying ({before:?})");
    Some(drawn)
}

/// Whether NVIDIA's own program reads the power of its cards.
#[cfg(any(feature = "cuda", feature = "wgpu"))]
fn a_card_tells() -> bool {
    let asked = std::process::Command::new("nvidia-smi")
        .args(["--query-gpu=power.draw", "--format=csv,noheader,nounits"])
        .output();
    let text = asked.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    text.lines().any(|line| line.trim().parse::<f64>().is_ok())
}

/// Whether a package's counter can be read.
fn the_processor_tells() -> bool {
    let zones = std::fs::read_dir(POWERCAP).into_iter().flatten().flatten().map(|zone| zone.path());
    let is_package = |name: String| name.starts_with("package");
    let mut packages = zones.filter(|zone| std::fs::read_to_string(zone.join("name")).is_ok_and(is_package));
    packages.any(|zone| std::fs::read_to_string(zone.join("energy_uj")).is_ok())
}

#[cfg(feature = "cuda")]
#[test]
fn an_nvidia_card_reports_its_energy() {
    let Some(card) = card::first_card() else { return };
    let drawn = draws(&card, a_card_tells);
    assert!(drawn.is_none_or(|watts| WATTS.contains(&watts)), "{drawn:?} W");
}

#[cfg(feature = "wgpu")]
#[test]
fn cuda_and_wgpu_report_the_same_energy() {
    use pointsman_device::wgpu::{WgpuDevice, WgpuOptions, discover};
    let adapters = &discover().adapters;
    if adapters.is_empty() {
        eprintln!("skipped: {}", discover().why_none.clone().unwrap_or_default());
    }
    for adapter in adapters {
        let device = WgpuDevice::open(adapter, WgpuOptions::default()).expect("it was found");
        let is_nvidia = adapter.model.contains("NVIDIA") && !adapter.is_software;
        let drawn = draws(&device, || is_nvidia && a_card_tells());
        assert!(drawn.is_none_or(|watts| WATTS.contains(&watts)), "{drawn:?} W");
    }
}

#[test]
fn the_processor_reports_its_energy() {
    let drawn = draws(&CpuDevice::default(), the_processor_tells);
    assert!(drawn.is_none_or(|watts| WATTS.contains(&watts)), "{drawn:?} W");
}

#[test]
fn a_simulated_device_draws_the_configured_power() {
    let speed = SimSpeed { copy: Duration::from_millis(500), link_bytes_per_second: f64::MAX, ..SimSpeed::default() };
    let watts = Some(SimWatts { idle: 10.0, work: 90.0 });
    let device = SimDevice::new(SimOptions { speed, watts, ..SimOptions::default() });
    assert_eq!(device.energy(), Ok(EnergyReading::Counted(0.0)));
    device.clock().advance(Duration::from_secs(2));
    assert_eq!(device.energy(), Ok(EnergyReading::Counted(20.0)), "idle");
    let stream = device.open_stream(Priority::Normal).expect("a stream");
    let range = BufferRange { buffer: device.allocate(4).expect("memory"), offset: 0, bytes: 4 };
    device.upload(stream, &[1; 4], range).expect("a copy in");
    device.download(stream, range, &mut [0; 4], BUSY * 10).expect("a copy out");
    assert_eq!(device.clock().now(), Duration::from_secs(3));
    assert_eq!(device.energy(), Ok(EnergyReading::Counted(30.0 + 90.0)), "a second of copies");
    let silent = SimDevice::new(SimOptions::default()).energy().expect_err("its watts are not configured");
    assert_eq!(silent.kind, DeviceErrorKind::Unsupported);
}
