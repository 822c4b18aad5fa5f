import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take half a minute or more, in the order of their start: those that keep the CPU busy alternate with those that wait. */
const LONG = [
  'browser/everyPage',
  'browser/streams',
  'browser/dashboard',
  'e2e/transcribe',
  'faults/eventStoreDb',
  'e2e/processors',
  'e2e/start',
  'faults/eventStoreDbStart',
  'fuzz/http',
];

const rank = ({ moduleId, project }: TestSpecification): number => {
  const index = LONG.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`));
  if (index >= 0) return index;
  // First, because a file with its own process ends the shared one.
  if (project.name === 'own process') return LONG.length;
  return moduleId.includes('/test/unit/') ? LONG.length + 2 : LONG.length + 1;
};

/** Long files first and unit tests last, so that all workers end at about the same time. Within these, the order of Vitest. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.sort((a, b) => rank(a) - rank(b));
  }
}
