//! The devices of this machine.

use crate::error::Result;
use pointsman_device::Device;
use std::sync::Arc;

/// All devices, the CPU first.
pub(crate) fn open(_threads: Option<usize>) -> Result<Vec<Arc<dyn Device>>> {
    Ok(vec![Arc::new(temp::Slow::new())])
}

mod temp {
    use pointsman_device::launch::Faulted;
    use pointsman_device::*;
    use pointsman_ir::data::ColumnData;
    use pointsman_ir::interpret;
    use pointsman_ir::kernel::Kernel;
    use pointsman_ir::types::*;
    use std::collections::BTreeMap;
    use std::sync::Mutex;
    use std::time::Duration;
    pub(super) struct Slow {
        info: DeviceInfo,
        programs: Mutex<BTreeMap<u64, Kernel>>,
    }
    impl Slow {
        pub(super) fn new() -> Slow {
            Slow {
                info: DeviceInfo {
                    name: "cpu".into(),
                    kind: DeviceKind::Cpu,
                    model: "x".into(),
                    units: 1,
                    capabilities: Capabilities {
                        exactness: Exactness::Exact,
                        f64: true,
                        host_memory: true,
                        unified_memory: true,
                        sinks: vec![],
                        buffer_bytes_max: 0,
                    },
                },
                programs: Default::default(),
            }
        }
    }
    fn read(input: &ColumnInput<'_>, ty: Type) -> ColumnData {
        let ColumnInput::Host(pieces) = input else { unreachable!() };
        let rows: usize = pieces.iter().map(|p| p.rows).sum();
        ColumnData::from_scalars(ty, (0..rows).map(|r| crate::runtime::results::cell(pieces, r, ty)))
    }
    impl Device for Slow {
        fn info(&self) -> &DeviceInfo {
            &self.info
        }
        fn memory(&self) -> MemoryInfo {
            MemoryInfo::default()
        }
        fn supports(&self, _: &Kernel) -> DeviceResult<()> {
            Ok(())
        }
        fn compile(&self, k: &Kernel) -> DeviceResult<ProgramImage> {
            Ok(ProgramImage { format: "text".into(), bytes: k.print().into_bytes() })
        }
        fn load(&self, image: &ProgramImage) -> DeviceResult<ProgramId> {
            let k =
                pointsman_ir::kernel::parse::parse(std::str::from_utf8(&image.bytes).expect("utf8")).expect("parses");
            let mut p = self.programs.lock().expect("lock");
            let id = p.len() as u64;
            p.insert(id, k);
            Ok(ProgramId(id))
        }
        fn unload(&self, _: ProgramId) {}
        fn allocate(&self, _: usize) -> DeviceResult<BufferId> {
            unreachable!()
        }
        fn free(&self, _: BufferId) {}
        fn open_stream(&self, _: Priority) -> DeviceResult<StreamId> {
            Ok(StreamId(0))
        }
        fn close_stream(&self, _: StreamId) {}
        fn copy_in(&self, _: StreamId, _: std::sync::Arc<HostBuffer>, _: BufferRange) -> DeviceResult<()> {
            unreachable!()
        }
        fn copy_out(&self, _: StreamId, _: BufferRange, _: HostBuffer) -> DeviceResult<CopyId> {
            unreachable!()
        }
        fn finish_copy(&self, _: CopyId, _: Duration) -> DeviceResult<HostBuffer> {
            unreachable!()
        }
        fn record(&self, _: StreamId) -> DeviceResult<EventId> {
            unreachable!()
        }
        fn wait_for(&self, _: StreamId, _: EventId) -> DeviceResult<()> {
            unreachable!()
        }
        fn event_status(&self, _: EventId) -> DeviceResult<EventStatus> {
            unreachable!()
        }
        fn elapsed(&self, _: EventId, _: EventId) -> DeviceResult<Duration> {
            unreachable!()
        }
        fn forget_event(&self, _: EventId) {}
        fn launch(&self, _: StreamId, program: ProgramId, launch: &mut Launch<'_>) -> DeviceResult<Pending> {
            let k = self.programs.lock().expect("lock")[&program.0].clone();
            launch.check(&k)?;
            let columns: Vec<_> = launch.columns.iter().zip(&k.columns).map(|(c, t)| read(c, *t)).collect();
            let lists: Vec<_> = launch.lists.iter().zip(&k.lists).map(|(c, t)| read(c, t.required())).collect();
            let inputs = interpret::Inputs {
                columns: &columns,
                params: launch.params,
                lists: &lists,
                tables: &[],
                first_row: launch.first_row,
                rows: launch.rows,
            };
            match interpret::run(&k, &inputs) {
                Err(f) => Ok(Pending::Done(Outcome {
                    fault: Some(f.row.map_or(Faulted::Fold(0), Faulted::Row)),
                    ..Default::default()
                })),
                Ok(t) => {
                    for (c, o) in t.columns.iter().zip(launch.outputs.iter_mut()) {
                        let ColumnOutput::Host { values, validity, .. } = o else { unreachable!() };
                        let size = c.dtype.repr().bytes();
                        if let Some(v) = validity {
                            v.fill(0);
                        }
                        for r in 0..c.len() {
                            values[r * size..(r + 1) * size]
                                .copy_from_slice(&c.values.get(r).bits().to_le_bytes()[..size]);
                            if let Some(v) = validity {
                                v[r / 8] |= (c.get(r).is_some() as u8) << (r % 8);
                            }
                        }
                    }
                    Ok(Pending::Done(Outcome { rows: t.rows, nodes: 0, fault: None }))
                }
            }
        }
        fn finish(&self, _: LaunchId, _: Duration) -> DeviceResult<Outcome> {
            unreachable!()
        }
    }
}
