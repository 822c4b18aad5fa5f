import { PageFrame } from '../../parts/Page.tsx';
import { Engines } from './Engines.tsx';
import { KeptResults } from './KeptResults.tsx';
import { Leases } from './Leases.tsx';
import { Nodes } from './Nodes.tsx';
import { ReadModels } from './ReadModels.tsx';
import { Stores } from './Stores.tsx';
import { SystemCards } from './SystemCards.tsx';

/** The state of the platform and of the work that it does by itself. */
export const Operations = () => (
  <PageFrame title="Operations" lead="Nodes, engines, queues, disk, kept results, stores and read models.">
    <div class="stack">
      <SystemCards />
      <KeptResults />
      <Engines />
      <Nodes />
      <Stores />
      <ReadModels />
      <Leases />
    </div>
  </PageFrame>
);
