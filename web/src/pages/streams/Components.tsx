import type { StreamComponents } from '../../api/types.ts';
import { Card } from '../../parts/Page.tsx';
import { StateBadge } from '../../parts/StateBadge.tsx';
import { Time } from '../../parts/Time.tsx';

/** How far the gateway and each processor are. */
export const Components = ({ components: { gateway, processors } }: { readonly components: StreamComponents }) => (
  <Card title="Components">
    <ul class="components">
      <li>
        <span class="component-name">Gateway</span>
        <StateBadge state={gateway.state} />
        <span class="quiet small">
          <Time at={gateway.stateChangedTimestamp} />
        </span>
      </li>
      {processors.map(({ processorId, state, stateChangedTimestamp, stateDescription }) => (
        <li key={processorId}>
          <span class="component-name">{processorId}</span>
          <StateBadge state={state} />
          <span class="quiet small">
            <Time at={stateChangedTimestamp} />
          </span>
          {stateDescription && <span class="component-text quiet small">{stateDescription}</span>}
        </li>
      ))}
    </ul>
  </Card>
);
