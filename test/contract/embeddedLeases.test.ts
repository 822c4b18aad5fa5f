import { join } from 'node:path';
import { describe } from 'vitest';
import { openEmbeddedDocuments } from '../../src/stores/embedded/documents.ts';
import { temporaryDirectory } from '../temporaryDirectory.ts';
import { leasesContract } from './leases.ts';

describe('leases on embedded documents', () => {
  leasesContract(() => openEmbeddedDocuments({ file: join(temporaryDirectory(), 'views.db'), durability: 'NORMAL' }));
});
