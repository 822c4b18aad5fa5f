import { PageFrame } from '../../parts/Page.tsx';
import { Leases } from './Leases.tsx';
import { ReadModels } from './ReadModels.tsx';
import { Stores } from './Stores.tsx';

/** What the platform is doing by itself, and whether it is well. */
export const Operations = () => (
  <PageFrame title="Operations" lead="Stores, read models, and which node does what.">
    <div class="stack">
      <Stores />
      <ReadModels />
      <Leases />
    </div>
  </PageFrame>
);
