import { describe, expect, test } from 'vitest';
import { ClusterLog, topicsIn } from '../../crash/clusterSteps.ts';
import { Steps } from '../../crash/steps.ts';
import type { WitnessedAppend } from '../../fakes/eventStoreDb/startEventStoreDb.ts';

test('counts a kill once for each step, and names the steps without one', () => {
  const steps = new Steps(['created', 'stored', 'shared', 'ended'], ['shared']);
  steps.add(['created', 'created', 'stored']);
  steps.add(['stored']);
  expect(steps.told()).toBe('kills at which created: 1; stored: 2; shared: 0; ended: 0');
  expect(steps.missing()).toEqual(['ended']);
});

describe('the log of a cluster, as the crash test folds it', () => {
  const append = (eventStream: string, ...events: [type: string, data?: object][]): WitnessedAppend => ({
    by: 'node-1',
    eventStream,
    events: events.map(([type, data = {}], i) => ({ id: `${eventStream}-${type}-${i}`, type, data: JSON.stringify(data) })),
    position: 100,
    at: 0,
  });
  const folded = (...appends: WitnessedAppend[]): ClusterLog => {
    const log = new ClusterLog();
    for (const one of appends) log.fold(one);
    return log;
  };

  test('knows joins without a stream, and ends that the group does not know', () => {
    const join = append('group-G', ['StreamJoined', { streamId: 'S' }]);
    expect([...folded(join).joined.keys()]).toEqual(['S']);
    const created = append('stream-S', ['StreamCreated', { groupId: 'G' }], ['UploadCompleted']);
    const ended = append('stream-S', ['StreamCompleted']);
    const log = folded(join, created, ended);
    expect([[...log.joined.keys()], [...log.unknownEnds.keys()]]).toEqual([[], ['S']]);
    log.fold(append('group-G', ['StreamFinished', { streamId: 'S' }]));
    expect([...log.unknownEnds.keys()]).toEqual([]);
  });

  test('asks nothing of the group that a stream has to itself', () => {
    const log = folded(append('stream-S', ['StreamCreated', { groupId: 'S', ownGroup: true }]), append('stream-S', ['StreamCompleted']));
    expect([...log.unknownEnds.keys()]).toEqual([]);
  });

  test('knows ends without a schedule, and schedules without an attempt', () => {
    const first = append('delivery-U', ['DeliveriesScheduled', { sourceEventId: 'earlier' }]);
    const log = folded(first, append('stream-S', ['ProcessorCompleted'], ['StreamCompleted']));
    expect([...log.unscheduled.keys()]).toEqual(['stream-S-StreamCompleted-1']);
    log.fold(append('delivery-U', ['DeliveriesScheduled', { sourceEventId: 'stream-S-StreamCompleted-1' }]));
    expect([[...log.unscheduled.keys()], [...log.unattempted.keys()]]).toEqual([[], ['earlier', 'stream-S-StreamCompleted-1']]);
    log.fold(append('delivery-U', ['AttemptsRecorded', { attempts: [{ sourceEventId: 'earlier' }] }]));
    expect([...log.unattempted.keys()]).toEqual(['stream-S-StreamCompleted-1']);
  });

  test('leaves out an append that was not stored', () => {
    const log = folded({ ...append('stream-S', ['StreamCreated', { groupId: 'S' }]), position: null });
    expect([log.streams.size, log.head]).toEqual([0, 0]);
  });

  test('tells the topics of the data source from those of the outputs', () => {
    const [source, output] = ['00000000-0000-4000-8000-00000000000a', '00000000-0000-4000-8000-00000000000b'];
    const data = JSON.stringify({ dataSource: `persistent://d/data-sources/${source}`, sink: `persistent://d/data-sinks/${output}` });
    expect([topicsIn(data, 'source'), topicsIn(data, 'outputs')]).toEqual([[source], [output]]);
  });
});
