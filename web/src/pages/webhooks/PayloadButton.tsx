import { useState } from 'preact/hooks';
import { CopyText } from '../../parts/CopyText.tsx';
import { Dialog } from '../../parts/Dialog.tsx';
import { JsonText } from '../../parts/JsonText.tsx';
import { Loaded } from '../../parts/Notes.tsx';
import type { Delivery } from './deliveries.ts';
import { usePayload } from './webhooks.ts';

interface PayloadButtonProps {
  /** Of the endpoint. */
  readonly id: string;
  readonly delivery: Delivery;
}

/** Shows the body of a delivery. */
export const PayloadButton = ({ id, delivery }: PayloadButtonProps) => {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" class="button" onClick={() => setOpen(true)}>
        Payload
      </button>
      {isOpen && (
        <Dialog title={`Payload of ${delivery.type}`} onClose={() => setOpen(false)} wide>
          <div class="stack">
            <dl class="facts">
              <dt>webhook-id</dt>
              <dd>
                <CopyText text={delivery.eventId} label="event id" />
              </dd>
              <dt>Delivery</dt>
              <dd>
                <CopyText text={delivery.deliveryId} label="delivery id" />
              </dd>
            </dl>
            <Loaded resource={usePayload(id, delivery.deliveryId)}>{(payload) => <JsonText value={payload} label="Payload" />}</Loaded>
          </div>
        </Dialog>
      )}
    </>
  );
};
