/**
 * Made by openapi-typescript: `npm run client` makes it anew.
 * API document e3b5ae6bce313f384b46dd77d56b096da08be292bde3d2fe6fb225a93ab73e6c
 */

export interface paths {
    "/asyncapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The AsyncAPI document of the WebSocket gateway.
         * @description The messages in both directions. `/docs` shows it to people.
         */
        get: operations["getAsyncapi"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/audit-service/api/v1/event-streams/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The state of an event stream, as of a revision or a time.
         * @description Every event up to the point is folded; erased personal members read as null.
         *
         *     Needs one of the roles: auditor, admin.
         */
        get: operations["findEventStreamState"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/audit-service/api/v1/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The events of the log, newest first unless asked otherwise; as NDJSON all of them, streamed.
         * @description Paging: `after` is the `next` of the page before. Reading is itself recorded in the log.
         *
         *     Needs one of the roles: auditor, admin.
         */
        get: operations["findEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/audit-service/api/v1/events/{eventId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One event.
         * @description Reading is itself recorded in the log.
         *
         *     Needs one of the roles: auditor, admin.
         */
        get: operations["findEvent"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/audit-service/api/v1/subjects/{subject}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Erases a person: keys, credentials, documents and bytes are destroyed; the log still verifies.
         * @description Running streams are canceled, pending deliveries dropped, credentials revoked. This cannot be taken back.
         *
         *     Needs one of the roles: admin.
         */
        delete: operations["eraseSubject"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/audit-service/api/v1/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Checks hash chains and seals, of the whole log or of one event stream.
         * @description Every event is hashed again: a whole log takes its time.
         *
         *     Needs one of the roles: auditor, admin.
         */
        get: operations["verifyLog"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/credential-service/api/v1/credentials": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Credentials that are not revoked, newest first: those that the caller has or issued, of the subject named, or of everybody.
         * @description Secrets are never listed. Revoked credentials are left out.
         *
         *     Needs one of the roles: admin.
         */
        get: operations["listCredentials"];
        put?: never;
        /**
         * Issues a client with a secret, or an API key. The secret is shown in this answer and never again.
         * @description Without a `subject` a new one is made: a new user, with nothing yet. The secret is made by the platform; keep it, nobody can show it again.
         *
         *     Needs one of the roles: admin.
         */
        post: operations["issueCredential"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/credential-service/api/v1/credentials/{credentialId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One credential, without its secret.
         * @description A revoked one is 404.
         *
         *     Needs one of the roles: admin.
         */
        get: operations["getCredential"];
        put?: never;
        post?: never;
        /**
         * The credential, and every token made from it, stops working.
         * @description Within a second, everywhere.
         *
         *     Needs one of the roles: admin.
         */
        delete: operations["revokeCredential"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/credential-service/api/v1/credentials/{credentialId}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A new secret; the old one, and every token made with it, stop working.
         * @description There is no overlap: give the new secret to its user at once.
         *
         *     Needs one of the roles: admin.
         */
        post: operations["rotateCredential"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/credential-service/api/v1/credentials/self": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Who the caller is.
         * @description Subject and roles and, of a credential of the platform, what is known of it besides its secret. An API key alone does not say these.
         */
        get: operations["getOwnCredential"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/docs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The API documents as a page for people.
         * @description The operations, the webhook events and the WebSocket messages. It has no script and loads nothing.
         */
        get: operations["getDocs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/egress-service/api/v1/egress/live": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The messages of the sinks of one or more streams while they run: all that is kept, then each as it comes, then the end.
         * @description Attach before, during or after the upload: a reader that comes late gets all that is kept, then what follows, then the end. After a cut, go on with `resume`.
         */
        get: operations["readLive"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/export-service/api/v1/export/{format}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The results of one or more streams, as JSON, TEXT, EVENTS, SRT or VTT. Waits until the streams have ended.
         * @description Name the streams, or a group. JSON and TEXT hold what the sinks with the tags have, EVENTS is NDJSON of their messages, SRT and VTT are captions of transcriptions. Only what was persisted is there: upload with `persist=true`. 404 when the streams are not there after `timeout`.
         */
        get: operations["exportStreams"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health/live": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Whether the process answers.
         * @description Asks nothing of the stores.
         */
        get: operations["getLiveness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health/ready": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Whether requests can be served, and if not, why.
         * @description For load balancers: 503 while the server should get no requests.
         */
        get: operations["getReadiness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/http-gateway/api/v1/upload": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Creates a stream from the bytes of the body, or behind the link that it is; undocumented query parameters are patches of its template.
         * @description The body is the bytes, with any content type but multipart; or `multipart/form-data` with a JSON configuration part and the bytes; or, where the template takes media, one http(s) URL as text, which the platform fetches.
         *
         *     Every query parameter that is not documented is a patch of the template: `summary=true` (`v` replaces, `+v` adds, `-` removes; `patches.` in front of a name says so explicitly), and `webhook[.RESOURCE[.STATE]]=<url>` is a dynamic webhook, at most 3 URLs. All that needs no body is checked before it is read. The answer comes when all bytes are durable; a link is answered after it has been fetched.
         */
        post: operations["upload"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Figures of this node for Prometheus.
         * @description Names begin with `tributary_`, beside `process_` and `nodejs_`. Without a credential when HOST is a loopback address, else for admins and auditors.
         */
        get: operations["getMetrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/notification-service/api/v1/webhook-endpoints": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The user's webhook endpoints, oldest first.
         * @description At most 20.
         */
        get: operations["findAllWebhookEndpoints"];
        /**
         * Creates an endpoint, or replaces the one that the body names by its id.
         * @description Without an `id` a new one; with one, the whole endpoint is replaced: an absent `enabled` is true. An `id` that is not the caller's is 403, whether it exists or not. A URL that is not acceptable and an unknown event type are WEBHOOK_CONFIGURATION_ERROR.
         */
        put: operations["saveWebhookEndpoint"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/notification-service/api/v1/webhook-endpoints/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One webhook endpoint.
         * @description The ETag of the answer serves for If-Match.
         */
        get: operations["findWebhookEndpointById"];
        put?: never;
        post?: never;
        /**
         * Deletes an endpoint; what was pending for it is sent no more.
         * @description An unknown endpoint is 403.
         */
        delete: operations["deleteWebhookEndpoint"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/notification-service/api/v1/webhook-endpoints/{id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * An endpoint's deliveries, newest first, with every attempt.
         * @description Each with its attempts, and what the receiver answered for 7 days.
         */
        get: operations["findWebhookDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/notification-service/api/v1/webhook-endpoints/{id}/deliveries/{deliveryId}/resend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sends a delivery that has ended once more, in one attempt, byte for byte the same.
         * @description For any delivery that has ended, of a disabled endpoint too. The attempt is numbered on.
         */
        post: operations["resendWebhookDelivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/notification-service/api/v1/webhook-endpoints/{id}/enabled/{enabled}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Enables or disables an endpoint. A disabled one is sent nothing, what was pending included.
         * @description Enabling does not resume what was pending when it was disabled: `recoverWebhookDeliveries` does. An unknown endpoint is 403.
         */
        patch: operations["toggleWebhookEndpoint"];
        trace?: never;
    };
    "/notification-service/api/v1/webhook-endpoints/{id}/recover": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Schedules what the endpoint has missed since a time, or after a position of the log. Asked twice, it schedules nothing twice.
         * @description What matches the present filter and was never scheduled, failed or exhausted, also from before the endpoint existed.
         */
        post: operations["recoverWebhookDeliveries"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/notification-service/api/v1/webhook-endpoints/{id}/secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The secret that signs an endpoint's webhooks.
         * @description Verify with it what comes in: Standard Webhooks libraries take it as it is.
         */
        get: operations["getWebhookEndpointSecret"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/notification-service/api/v1/webhook-endpoints/{id}/secret/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A new secret for an endpoint; the old one signs beside it for 24 hours.
         * @description Both sign for 24 hours, so that receivers can be changed without losing anything.
         */
        post: operations["rotateWebhookEndpointSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/notification-service/api/v1/webhook-endpoints/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sends one `ping`, to a disabled endpoint too, in one attempt.
         * @description Look at the delivery to see what the receiver answered.
         */
        post: operations["testWebhookEndpoint"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/notification-service/api/v1/webhook-endpoints/account-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The secret that signs the user's dynamic webhooks.
         * @description Dynamic webhooks have no endpoint of their own to keep a secret: they share this one.
         */
        get: operations["getWebhookAccountSecret"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/notification-service/api/v1/webhook-endpoints/account-secret/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A new secret for the user's dynamic webhooks; the old one signs beside it for 24 hours.
         * @description Both sign for 24 hours.
         */
        post: operations["rotateWebhookAccountSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/notification-service/api/v1/webhook-endpoints/dynamic/{streamId}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The deliveries of a stream's dynamic webhooks, newest first.
         * @description Each with its URL.
         */
        get: operations["findDynamicWebhookDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/notification-service/api/v1/webhook-endpoints/supported-events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The event types that an endpoint can listen to.
         * @description Needs no credential.
         */
        get: operations["getSupportedEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * This document.
         * @description The whole HTTP interface, and the webhooks that the platform sends. `/docs` shows it to people.
         */
        get: operations["getOpenapi"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operations-service/api/v1/leases": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What is done by one node at a time, and by which.
         * @description With the epoch that fences a holder which was away.
         *
         *     Needs one of the roles: admin.
         */
        get: operations["findLeases"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operations-service/api/v1/partitions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Who delivers the webhooks of which users.
         * @description A partition that nobody holds is not listed.
         *
         *     Needs one of the roles: admin.
         */
        get: operations["findPartitions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operations-service/api/v1/projections": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * How far each read model is, and a rebuild beside it.
         * @description `lagEvents` (counted up to 20, estimated beyond) and `lagSeconds` say how far each is behind the log.
         *
         *     Needs one of the roles: admin.
         */
        get: operations["findProjections"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operations-service/api/v1/projections/{name}/rebuild": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Builds a read model (or `all`) again, beside the one that is served; it takes over when it has caught up.
         * @description The old one is served meanwhile.
         *
         *     Needs one of the roles: admin.
         */
        post: operations["rebuildProjection"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operations-service/api/v1/stores": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Whether the stores answer.
         * @description The event log, the documents (read models, leases), the vault of keys and the topics of bytes.
         *
         *     Needs one of the roles: admin.
         */
        get: operations["findStores"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/realms/{realm}/.well-known/openid-configuration": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Where the token endpoint and its keys are.
         * @description For clients that find their endpoints by OpenID Connect discovery.
         */
        get: operations["getOpenidConfiguration"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/realms/{realm}/protocol/openid-connect/certs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The public keys that verify our access tokens (JWKS).
         * @description For services that check access tokens themselves. Keys are rotated with an overlap: look again when a `kid` is unknown.
         */
        get: operations["getTokenKeys"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/realms/{realm}/protocol/openid-connect/token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * An access token for client credentials (RFC 6749, 4.4). The pair comes in the form or as HTTP Basic.
         * @description Send `grant_type=client_credentials` and the pair as a form, or the pair as HTTP Basic; both and different is 400. The token serves for 10 minutes, as `Authorization: Bearer`.
         */
        post: operations["exchangeToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/stream-configuration-service/api/v1/processor-declarations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The kinds of processors that a template can be made of, with the schemas of their properties.
         * @description `propertiesJsonSchema` says what the properties of such a processor may be.
         */
        get: operations["findAllProcessorDeclarations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/stream-configuration-service/api/v1/stream-configuration-templates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The templates that the caller can use: built-in ones, own ones and overlays; newest first, then by id.
         * @description Administrators see the list of another with `subject`.
         */
        get: operations["findAllTemplates"];
        /**
         * Creates a template of the own, or replaces the one whose id is given. An admin replaces built-in ones too.
         * @description What GET gave can be sent back: members that only the platform sets are ignored. A template that cannot run is refused with what is wrong where. An id that is unknown or another's is 403.
         */
        put: operations["saveTemplate"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/stream-configuration-service/api/v1/stream-configuration-templates/{streamConfigurationTemplateId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One template, in its newest or an earlier version.
         * @description Every version stays readable. The ETag of the answer serves for If-Match.
         */
        get: operations["findTemplateById"];
        put?: never;
        post?: never;
        /**
         * Deletes a template of the own, or a private overlay, which gives the built-in template back.
         * @description A built-in template cannot be deleted (403).
         */
        delete: operations["deleteTemplate"];
        options?: never;
        head?: never;
        /**
         * Patches a template. A user who patches a built-in one gets a private overlay of it under the same id.
         * @description Only `add`, `replace` and `remove`, and only inside a processor's `properties`. A path is `/a/b/c`, `a.b.c` or an alias; a processor is named by its index or its id. An administrator patches the built-in template itself.
         */
        patch: operations["patchTemplate"];
        trace?: never;
    };
    "/stream-service/api/v1/groups/{groupId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One group of streams.
         * @description A group is made by the first stream that names it, and completes when all its streams have.
         */
        get: operations["findGroup"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/stream-service/api/v1/streams": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The caller's streams, newest first.
         * @description `group` and `name` of which there is nothing give an empty page.
         */
        get: operations["findStreams"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/stream-service/api/v1/streams/{streamId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One stream.
         * @description Poll until it is COMPLETED or FAILED; or let a webhook tell you. EXPIRED ones have lost their bytes, not their story.
         */
        get: operations["findStream"];
        put?: never;
        post?: never;
        /**
         * Deletes the data of a stream at once: it is canceled if need be, then EXPIRED. Its story stays.
         * @description Asked twice, it answers 204 twice.
         */
        delete: operations["deleteStream"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/stream-service/api/v1/streams/{streamId}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Cancels a stream: its owner, a gateway or an admin may.
         * @description Running processors are aborted and the stream is FAILED with `Canceled by user`. One that is FAILED already is answered as it is.
         */
        put: operations["cancelStream"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/stream-service/api/v1/streams/{streamId}/components": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * How far the gateway and each processor of a stream are.
         * @description The state of the gateway and of each processor, with what it has to say of it.
         */
        get: operations["findStreamComponents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/stream-service/api/v1/streams/{streamId}/data-source": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The bytes that were uploaded, as long as they are kept.
         * @description The content type of recordings is told from their first bytes. `Range` asks for a part. 404 when the upload never came to its end or the stream has expired.
         */
        get: operations["readDataSource"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/stream-service/api/v1/streams/{streamId}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The story of a stream: its events, in their order.
         * @description As they stand in the log, in the newest version of their form. There are few of them: two or three for each processor.
         */
        get: operations["findStreamEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/usage-service/api/v1/usage/report": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What was used in an interval and what it costs: in all, by period, by operation type and by template.
         * @description At least one and at most 1,000 periods of the granularity. What ended in a period counts in it.
         */
        get: operations["findUsageReport"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/usage-service/api/v1/usage/streams/{streamId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What each processor of a stream has used, and what it costs.
         * @description While a processor runs, what it has used so far; `finalUsage` once it has ended. Prices are those of the time of use.
         */
        get: operations["findStreamUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ws-gateway/api/v1": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The WebSocket gateway: connect with a WebSocket client; the query is that of an upload.
         * @description `/asyncapi.json` describes the messages. Without an upgrade it is 426.
         */
        get: operations["openWebSocket"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ws-gateway/api/v1/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The WebSocket gateway: connect with a WebSocket client; the query is that of an upload.
         * @description `/asyncapi.json` describes the messages. Without an upgrade it is 426.
         */
        get: operations["openWebSocketSlash"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface webhooks {
    "gateway.closed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The gateway of a stream is closed for good.
         * @description Sent at least once, in no particular order, until it is answered with 2xx: for three hours, with growing pauses. Signed as Standard Webhooks has it: verify the signature over `webhook-id.webhook-timestamp.body`, and leave out an id that was handled before.
         */
        post: operations["onGatewayClosed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "gateway.connected": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A client connected to the gateway of a stream.
         * @description Sent at least once, in no particular order, until it is answered with 2xx: for three hours, with growing pauses. Signed as Standard Webhooks has it: verify the signature over `webhook-id.webhook-timestamp.body`, and leave out an id that was handled before.
         */
        post: operations["onGatewayConnected"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "gateway.disconnected": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The client disconnected from the gateway.
         * @description Sent at least once, in no particular order, until it is answered with 2xx: for three hours, with growing pauses. Signed as Standard Webhooks has it: verify the signature over `webhook-id.webhook-timestamp.body`, and leave out an id that was handled before.
         */
        post: operations["onGatewayDisconnected"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "gateway.error": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The gateway of a stream is closed for good, because of an error.
         * @description Sent at least once, in no particular order, until it is answered with 2xx: for three hours, with growing pauses. Signed as Standard Webhooks has it: verify the signature over `webhook-id.webhook-timestamp.body`, and leave out an id that was handled before.
         */
        post: operations["onGatewayError"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "group.completed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * All streams of a group completed successfully; again when a new stream joins and completes.
         * @description Sent at least once, in no particular order, until it is answered with 2xx: for three hours, with growing pauses. Signed as Standard Webhooks has it: verify the signature over `webhook-id.webhook-timestamp.body`, and leave out an id that was handled before.
         */
        post: operations["onGroupCompleted"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "group.created": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A new group was created.
         * @description Sent at least once, in no particular order, until it is answered with 2xx: for three hours, with growing pauses. Signed as Standard Webhooks has it: verify the signature over `webhook-id.webhook-timestamp.body`, and leave out an id that was handled before.
         */
        post: operations["onGroupCreated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "group.expired": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * All streams of a group have expired.
         * @description Sent at least once, in no particular order, until it is answered with 2xx: for three hours, with growing pauses. Signed as Standard Webhooks has it: verify the signature over `webhook-id.webhook-timestamp.body`, and leave out an id that was handled before.
         */
        post: operations["onGroupExpired"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "group.failed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * All streams of a group have finished and at least one failed; again when a new stream joins and fails.
         * @description Sent at least once, in no particular order, until it is answered with 2xx: for three hours, with growing pauses. Signed as Standard Webhooks has it: verify the signature over `webhook-id.webhook-timestamp.body`, and leave out an id that was handled before.
         */
        post: operations["onGroupFailed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "group.stream-joined": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A stream joined a group.
         * @description Sent at least once, in no particular order, until it is answered with 2xx: for three hours, with growing pauses. Signed as Standard Webhooks has it: verify the signature over `webhook-id.webhook-timestamp.body`, and leave out an id that was handled before.
         */
        post: operations["onGroupStreamJoined"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    ping: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Asked for with `testWebhookEndpoint`.
         * @description Sent at least once, in no particular order, until it is answered with 2xx: for three hours, with growing pauses. Signed as Standard Webhooks has it: verify the signature over `webhook-id.webhook-timestamp.body`, and leave out an id that was handled before.
         */
        post: operations["onPing"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "processor.completed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A processor completed successfully.
         * @description Sent at least once, in no particular order, until it is answered with 2xx: for three hours, with growing pauses. Signed as Standard Webhooks has it: verify the signature over `webhook-id.webhook-timestamp.body`, and leave out an id that was handled before.
         */
        post: operations["onProcessorCompleted"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "processor.error": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A processor failed.
         * @description Sent at least once, in no particular order, until it is answered with 2xx: for three hours, with growing pauses. Signed as Standard Webhooks has it: verify the signature over `webhook-id.webhook-timestamp.body`, and leave out an id that was handled before.
         */
        post: operations["onProcessorError"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "processor.running": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A processor runs for a stream.
         * @description Sent at least once, in no particular order, until it is answered with 2xx: for three hours, with growing pauses. Signed as Standard Webhooks has it: verify the signature over `webhook-id.webhook-timestamp.body`, and leave out an id that was handled before.
         */
        post: operations["onProcessorRunning"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "stream.completed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A stream completed successfully.
         * @description Sent at least once, in no particular order, until it is answered with 2xx: for three hours, with growing pauses. Signed as Standard Webhooks has it: verify the signature over `webhook-id.webhook-timestamp.body`, and leave out an id that was handled before.
         */
        post: operations["onStreamCompleted"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "stream.expired": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The storage time of a stream is over, or it was deleted: its bytes are gone.
         * @description Sent at least once, in no particular order, until it is answered with 2xx: for three hours, with growing pauses. Signed as Standard Webhooks has it: verify the signature over `webhook-id.webhook-timestamp.body`, and leave out an id that was handled before.
         */
        post: operations["onStreamExpired"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "stream.failed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A stream failed, or was canceled.
         * @description Sent at least once, in no particular order, until it is answered with 2xx: for three hours, with growing pauses. Signed as Standard Webhooks has it: verify the signature over `webhook-id.webhook-timestamp.body`, and leave out an id that was handled before.
         */
        post: operations["onStreamFailed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "stream.ready": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A stream was created and is ready to receive data.
         * @description Sent at least once, in no particular order, until it is answered with 2xx: for three hours, with growing pauses. Signed as Standard Webhooks has it: verify the signature over `webhook-id.webhook-timestamp.body`, and leave out an id that was handled before.
         */
        post: operations["onStreamReady"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface components {
    schemas: {
        BrokenEvent: {
            eventStream?: string | null;
            position?: string | null;
            reason: string;
            revision?: string | null;
        };
        Caller: {
            /** @description Null for an outside issuer's token. */
            credential: components["schemas"]["Credential"] | null;
            roles: components["schemas"]["Role"][];
            subject: string;
        };
        ChannelSentiment: {
            averageScore: number;
            channel: number;
            negativeCount: number;
            neutralCount: number;
            positiveCount: number;
            sentiment: components["schemas"]["Sentiment"];
        };
        Credential: {
            /** @description Of a client only. */
            clientId?: string;
            /** Format: date-time */
            createdTimestamp: string;
            /** Format: date-time */
            expiresTimestamp: string | null;
            id: string;
            kind: components["schemas"]["CredentialKind"];
            label: string | null;
            role: components["schemas"]["Role"];
            /** @description Owner of what is done with it. */
            subject: string;
        };
        CredentialDraft: {
            /** Format: date-time */
            expiresTimestamp?: string | null;
            kind: components["schemas"]["CredentialKind"];
            label: string;
            role: components["schemas"]["Role"];
            /** @description Owner of what is done with it; default: a new one. */
            subject?: string | null;
        };
        /** @enum {string} */
        CredentialKind: "client" | "api-key";
        CredentialPage: {
            content: components["schemas"]["Credential"][];
            empty: boolean;
            first: boolean;
            last: boolean;
            /** @description Of this page, from 0. */
            number: number;
            numberOfElements: number;
            pageable: components["schemas"]["Pageable"];
            size: number;
            sort: components["schemas"]["Sort"];
            totalElements: number;
            totalPages: number;
        };
        DataSource: {
            connectionOptions: {
                [key: string]: unknown;
            };
            headers: {
                [key: string]: unknown;
            };
            messageHeaders: {
                [key: string]: unknown;
            };
            messageSchema: string;
            subscriptions: {
                [key: string]: unknown;
            };
            topic: string;
        };
        DeliveryAttempt: {
            /** Format: date-time */
            at: string;
            attempt: number;
            milliseconds: number;
            /** @enum {string} */
            outcome: "delivered" | "failed" | "refused" | "exhausted";
            /** @description Why it failed, in a word or two. */
            reason: string | null;
            /** @description The first 16 KiB of the answer, for 7 days. */
            response: string | null;
            /** @description Null when no answer came. */
            status: number | null;
        };
        /** @enum {string} */
        DeliveryState: "pending" | "delivered" | "failed" | "refused" | "exhausted";
        DiarizationMessage: {
            end: number;
            metadata: {
                [key: string]: unknown;
            };
            overlap: boolean;
            speakerIds: string[];
            start: number;
        };
        DynamicWebhookDelivery: {
            attempts: components["schemas"]["DeliveryAttempt"][];
            /** Format: date-time */
            deadline: string;
            deliveryId: string;
            /** @description `webhook-id` of every attempt. */
            eventId: string;
            /** Format: date-time */
            nextAttempt: string | null;
            /** @description Counts the deliveries of the endpoint; null for a ping. */
            sequence: number | null;
            state: components["schemas"]["DeliveryState"];
            type: string;
            url: string | null;
        };
        DynamicWebhookDeliveryPage: {
            content: components["schemas"]["DynamicWebhookDelivery"][];
            empty: boolean;
            first: boolean;
            last: boolean;
            /** @description Of this page, from 0. */
            number: number;
            numberOfElements: number;
            pageable: components["schemas"]["Pageable"];
            size: number;
            sort: components["schemas"]["Sort"];
            totalElements: number;
            totalPages: number;
        };
        Egress: {
            persist: boolean;
            sink: boolean;
            tags: string[];
        };
        EnhancedTranscription: {
            transcription: components["schemas"]["Transcription"];
            utterances: components["schemas"]["Utterance"][];
        };
        Erasure: {
            credentialsRevoked: number;
            deliveriesDropped: number;
            documentsDestroyed: number;
            keysDestroyed: number;
            streamsCanceled: number;
            subject: string;
            topicsDestroyed: number;
        };
        ErrorResponse: {
            /** @enum {string} */
            internalErrorName: "GENERAL_INTERNAL_ERROR" | "GENERAL_VALIDATION_ERROR" | "GENERAL_AUTHENTICATION_ERROR" | "GENERAL_AUTHORIZATION_ERROR" | "GENERAL_NOT_FOUND_ERROR" | "GENERAL_BAD_REQUEST_ERROR" | "GENERAL_TIME_OUT_ERROR" | "GENERAL_CONFLICT_ERROR" | "STREAM_CONFIGURATION_BAD_TEMPLATE" | "STREAM_CONFIGURATION_BAD_PATCH" | "STREAM_CONFIGURATION_BAD_PATCH_ALIAS" | "STREAM_USAGE_LIMIT_REACHED" | "WEBHOOK_CONFIGURATION_ERROR" | "WEBHOOK_ENDPOINTS_DEFINITION_LIMIT_REACHED" | "CURRENCY_ERROR" | "USAGE_INTERVAL_TOO_LONG" | "USAGE_INTERVAL_TOO_SHORT" | "PROCESSOR_FAILED_RESERVATION_ERROR" | "PROCESSOR_FAILED_CONFIRMATION_ERROR" | "PROCESSOR_PROPERTIES_VALIDATION_ERROR" | "PROCESSOR_TRANSCODING_ERROR" | "PROCESSOR_TRANSCRIPTION_ERROR" | "PROCESSOR_SPEAKER_DIARIZATION_ERROR" | "PROCESSOR_GENERAL_ERROR" | "PROCESSOR_CORDONED_ERROR" | "PROCESSOR_FEATURE_ERROR" | "HTTP_STREAM_CONFIGURATION_ERROR";
            /** @description What happened, and what to do next. */
            message: string;
            nestedErrors: components["schemas"]["ErrorResponse"][];
            /** Format: int32 */
            statusCode: number;
            title: string;
        };
        EventStreamState: {
            asOf: string | null;
            /** @description The JSON Patch (RFC 6902) that makes the state of `compareWith` of `state`. */
            difference?: {
                [key: string]: unknown;
            }[];
            eventStream: string;
            /** @description Of the last event that is in the state. */
            revision: string;
            /** @description As its kind of event stream has it. */
            state: unknown;
        };
        ExportResult: {
            /** @description By prompt id. */
            askAnything?: {
                [key: string]: components["schemas"]["PromptAnswer"];
            };
            enhancedTranscription?: components["schemas"]["EnhancedTranscription"];
            sentimentAnalysis?: components["schemas"]["SentimentAnalysis"];
            summary?: components["schemas"]["Summary"];
            transcription?: components["schemas"]["Transcription"];
            utterances?: components["schemas"]["Utterance"][];
        };
        GatewayComponent: {
            state: components["schemas"]["GatewayState"];
            /** Format: date-time */
            stateChangedTimestamp: string;
        };
        /** @enum {string} */
        GatewayState: "CONNECTED" | "DISCONNECTED" | "CLOSED";
        Group: {
            /** Format: date-time */
            createdTimestamp: string;
            /** Format: uuid */
            creatorId: string;
            /** Format: date-time */
            finalizedTimestamp: string | null;
            /** Format: uuid */
            groupId: string;
            state: components["schemas"]["GroupState"];
            streamsCount: number;
        };
        /** @enum {string} */
        GroupState: "CREATED" | "COMPLETED" | "FAILED" | "EXPIRED";
        GroupStateChangedEvent: {
            dynamicWebhookEndpoints: components["schemas"]["WebhookEndpoint"][];
            /** Format: uuid */
            groupId: string;
            state: components["schemas"]["GroupState"];
            /** @description The owner. */
            subject: string;
        };
        GroupStateChangedWebhook: {
            /**
             * Format: uuid
             * @description Of the event: the same on every attempt, and the header `webhook-id`.
             */
            id: string;
            payload: components["schemas"]["GroupStateChangedEvent"];
            /** @constant */
            payloadSchema: "tributary.events.v1.GroupStateChangedEvent";
            /**
             * Format: int64
             * @description Of the event, in milliseconds since the epoch.
             */
            timestamp: number;
            /** @enum {string} */
            type: "group.created" | "group.completed" | "group.failed" | "group.expired";
            webhookEndpointId: string;
        };
        GroupStreamJoinedEvent: {
            dynamicWebhookEndpoints: components["schemas"]["WebhookEndpoint"][];
            /** Format: uuid */
            groupId: string;
            /** Format: uuid */
            streamId: string;
            /** @description The stream's owner. */
            streamSubject: string;
            /** @description The group's owner. */
            subject: string;
        };
        GroupStreamJoinedWebhook: {
            /**
             * Format: uuid
             * @description Of the event: the same on every attempt, and the header `webhook-id`.
             */
            id: string;
            payload: components["schemas"]["GroupStreamJoinedEvent"];
            /** @constant */
            payloadSchema: "tributary.events.v1.GroupStreamJoinedEvent";
            /**
             * Format: int64
             * @description Of the event, in milliseconds since the epoch.
             */
            timestamp: number;
            /** @enum {string} */
            type: "group.stream-joined";
            webhookEndpointId: string;
        };
        Health: {
            checks: {
                [key: string]: components["schemas"]["HealthCheck"];
            };
            /** @enum {string} */
            status: "up" | "ready" | "not ready";
        };
        HealthCheck: {
            ok: boolean;
            reason: string | null;
        };
        IssuedCredential: {
            /** @description Of a client only. */
            clientId?: string;
            /** Format: date-time */
            createdTimestamp: string;
            /** Format: date-time */
            expiresTimestamp: string | null;
            id: string;
            kind: components["schemas"]["CredentialKind"];
            label: string | null;
            role: components["schemas"]["Role"];
            /** @description Shown this once. */
            secret: string;
            /** @description Owner of what is done with it. */
            subject: string;
        };
        JsonWebKeySet: {
            keys: {
                [key: string]: unknown;
            }[];
        };
        Lease: {
            epoch: number;
            holder: string;
            name: string;
        };
        LlmContent: {
            content: string;
        };
        LlmMessage: {
            askAnything?: components["schemas"]["LlmContent"][];
            metadata: {
                [key: string]: unknown;
            };
            promptId: string | null;
            /** @description The JSON Schema asked for, as text. */
            responseFormatSpecification: string | null;
            sentimentAnalysis?: components["schemas"]["SentimentSegment"][];
            sentimentAnalysisSummary?: components["schemas"]["SentimentSummary"];
            sequenceId: number;
            summary?: components["schemas"]["LlmContent"][];
        };
        LogEvent: {
            data: {
                [key: string]: unknown;
            };
            /** @description The sequence of events that it belongs to. */
            eventStream: string;
            /** Format: uuid */
            id: string;
            metadata: {
                [key: string]: unknown;
            };
            /** @description Within the log: opaque, sorts as the log does. */
            position: string;
            /** @description Within the event stream, from 0. */
            revision: string;
            type: string;
        };
        LogEventPage: {
            content: components["schemas"]["LogEvent"][];
            /** @description The `after` of the next page; null at the end. */
            next: string | null;
        };
        /** @enum {string} */
        OperationType: "BATCH_TRANSCRIPTION" | "REAL_TIME_TRANSCRIPTION" | "SPEAKERS_DIARIZATION" | "VOICE_ACTIVITY_DETECTION" | "TRANSCODE" | "TRANSLATION" | "SUMMARIZATION" | "SENTIMENT_ANALYSIS" | "NO_OPERATION" | "LLM_PROCESSING";
        Pageable: {
            offset: number;
            paged: boolean;
            pageNumber: number;
            pageSize: number;
            sort: components["schemas"]["Sort"];
            unpaged: boolean;
        };
        PatchOperation: {
            /** @enum {string} */
            op: "add" | "replace" | "remove";
            /** @description `/processors/llm/properties/summary/enabled`, the same with dots, or an alias. */
            path: string;
            /** @description Text, a number, a boolean, null, or a list of those. */
            value?: string | number | boolean | null | unknown[];
        };
        PingEvent: Record<string, never>;
        PingWebhook: {
            /**
             * Format: uuid
             * @description Of the event: the same on every attempt, and the header `webhook-id`.
             */
            id: string;
            payload: components["schemas"]["PingEvent"];
            /** @constant */
            payloadSchema: "tributary.events.v1.PingEvent";
            /**
             * Format: int64
             * @description Of the event, in milliseconds since the epoch.
             */
            timestamp: number;
            /** @enum {string} */
            type: "ping";
            webhookEndpointId: string;
        };
        ProcessorComponent: {
            processorId: string;
            state: components["schemas"]["ProcessorState"];
            /** Format: date-time */
            stateChangedTimestamp: string;
            stateDescription: string | null;
        };
        ProcessorDeclaration: {
            clusterDomainNameTemplate: string | null;
            description: string;
            displayName: string;
            features: components["schemas"]["ProcessorFeatures"];
            id: string;
            inputSchemas: string[];
            operationType: components["schemas"]["OperationType"];
            outputSchema: string;
            podsDiscoveryClusterDomainName: string | null;
            /** @description The JSON Schema itself. */
            propertiesJsonSchema: {
                [key: string]: unknown;
            };
            /** @description Fully qualified name of the schema. */
            propertiesSchema: string;
            revision: string;
        };
        ProcessorDeclarationPage: {
            content: components["schemas"]["ProcessorDeclaration"][];
            empty: boolean;
            first: boolean;
            last: boolean;
            /** @description Of this page, from 0. */
            number: number;
            numberOfElements: number;
            pageable: components["schemas"]["Pageable"];
            size: number;
            sort: components["schemas"]["Sort"];
            totalElements: number;
            totalPages: number;
        };
        ProcessorFeatures: {
            implement: string[];
            require: string[];
            requireSupport: string[];
            support: string[];
        };
        ProcessorSource: {
            connectionOptions: {
                [key: string]: unknown;
            };
            headers: {
                [key: string]: unknown;
            };
            messageSchema: string;
            subscription: string;
            topic: string;
        };
        /** @enum {string} */
        ProcessorState: "RUNNING" | "COMPLETED" | "WAITING" | "ERROR" | "CLOSED";
        ProcessorUsage: {
            /** Format: uuid */
            creatorId: string;
            /** @description A decimal number, in credits or in the currency asked for. */
            credits: string;
            /** @description Bytes of output. */
            egressSize: number | null;
            errorOccurred: boolean;
            /** @description Milliseconds. */
            executionTime: number | null;
            /** @description Whether the processor has come to its end. */
            finalUsage: boolean;
            /** Format: uuid */
            groupId: string;
            /** @description Bytes read. */
            ingressSize: number | null;
            operationType: components["schemas"]["OperationType"];
            /** @description Milliseconds. */
            processedAudioLength: number | null;
            processedInputTokens: number | null;
            processedOutputTokens: number | null;
            processedTokens: number | null;
            processorId: string;
            /** @description Bytes kept. */
            storageSize: number | null;
            streamConfigurationTemplateId: string;
            /** Format: uuid */
            streamId: string;
            /** @description Milliseconds since the epoch. */
            timestamp: number;
        };
        Projection: {
            error: string | null;
            head: string | null;
            lagEvents: number;
            lagSeconds: number;
            name: string;
            position: string | null;
            /** @description Events a second. */
            rate: number;
            /** @enum {string} */
            state: "catching-up" | "live" | "stopped" | "rebuilding";
            version: number;
        };
        PromptAnswer: {
            content: string;
            promptId: string;
            responseFormatSpecification: string | null;
        };
        Recovery: components["schemas"]["RecoverySince"] | components["schemas"]["RecoveryAfter"];
        RecoveryAfter: {
            /** @description From behind this position of the log on. */
            after: string;
        };
        RecoverySince: {
            /**
             * Format: date-time
             * @description From this time on, UTC unless it says otherwise.
             */
            since: string;
        };
        /** @enum {string} */
        Role: "user" | "gateway" | "auditor" | "admin";
        RotatedWebhookSecret: {
            /** Format: date-time */
            previousValidUntil: string;
            /** @description `whsec_` and the base64 of 32 bytes, as Standard Webhooks has it. */
            secret: string;
        };
        ScheduledRecovery: {
            scheduled: number;
        };
        /** @enum {string} */
        Sentiment: "negative" | "neutral" | "positive";
        SentimentAnalysis: {
            segments: components["schemas"]["SentimentSegment"][];
            summary: components["schemas"]["SentimentSummary"];
        };
        SentimentSegment: {
            channel?: number;
            endTime: number | null;
            score: number;
            sentiment: components["schemas"]["Sentiment"];
            startTime: number | null;
            text: string;
        };
        SentimentSummary: {
            averageScore: number;
            channels?: components["schemas"]["ChannelSentiment"][];
            negativeCount: number;
            neutralCount: number;
            positiveCount: number;
            sentiment: components["schemas"]["Sentiment"];
        };
        SinkMessage: {
            /** @enum {string} */
            frameType: "final" | "partial";
            groupId: string;
            headers: {
                [key: string]: unknown;
            };
            /** @description Names the message within its sink: what `resume` goes on after. */
            messageId: string;
            /** @description In the form that `payloadSchema` names; null when it was asked to be left out. */
            payload: components["schemas"]["TranscriptionMessage"] | components["schemas"]["DiarizationMessage"] | components["schemas"]["LlmMessage"] | string | null;
            /** @description `bytes` (base64), `string`, or the fully qualified name of the schema of the payload. */
            payloadSchema: string;
            processorId: string;
            /** @description Milliseconds since the epoch. */
            publishTimestamp: number;
            /** @description Counts from 0 within the sink. */
            sequenceId: number;
            sinkTopicName: string;
            streamId: string;
            tags: string[];
        };
        Sort: {
            empty: boolean;
            sorted: boolean;
            unsorted: boolean;
        };
        StoreHealth: {
            detail: string;
            name: string;
            ok: boolean;
        };
        Stream: {
            configuration: components["schemas"]["StreamConfiguration"];
            /** Format: date-time */
            createdTimestamp: string;
            /** Format: uuid */
            creatorId: string;
            /**
             * Format: date-time
             * @description When it COMPLETED or FAILED.
             */
            finalizedTimestamp: string | null;
            /** Format: uuid */
            groupCreatorId: string;
            /** Format: uuid */
            groupId: string;
            name: string | null;
            state: components["schemas"]["StreamState"];
            /** @description Why it FAILED. */
            stateDescription: string | null;
            /** Format: uuid */
            streamId: string;
        };
        StreamComponents: {
            gateway: components["schemas"]["GatewayComponent"];
            /** Format: uuid */
            groupId: string;
            processors: components["schemas"]["ProcessorComponent"][];
            state: components["schemas"]["StreamState"];
            /** Format: date-time */
            stateChangedTimestamp: string;
            stateDescription: string | null;
            /** Format: uuid */
            streamId: string;
        };
        StreamConfiguration: {
            /** @description By the id of the processor whose destination it is. */
            dataSinks: {
                [key: string]: components["schemas"]["DataSource"];
            };
            dataSource: components["schemas"]["DataSource"];
            dynamicWebhookEndpoints: components["schemas"]["WebhookEndpoint"][];
            processors: components["schemas"]["StreamProcessor"][];
            streamConfigurationTemplateId: string;
        };
        StreamConfigurationTemplate: {
            dataSourceSchema: string;
            description: string | null;
            id: string;
            name: string;
            /**
             * @description Set by the platform. `copy`: the caller's private overlay of the built-in template of this id.
             * @enum {string}
             */
            origin: "built-in" | "copy" | "own";
            /** @description Alias to the path that it stands for. */
            patchAliases: {
                [key: string]: string;
            };
            processors: components["schemas"]["TemplateProcessor"][];
            version: number;
        };
        StreamConfigurationTemplatePage: {
            content: components["schemas"]["StreamConfigurationTemplate"][];
            empty: boolean;
            first: boolean;
            last: boolean;
            /** @description Of this page, from 0. */
            number: number;
            numberOfElements: number;
            pageable: components["schemas"]["Pageable"];
            size: number;
            sort: components["schemas"]["Sort"];
            totalElements: number;
            totalPages: number;
        };
        StreamEvent: {
            /** @description The credential, policy or processor that did it. */
            actor: string;
            data: {
                [key: string]: unknown;
            };
            /** Format: uuid */
            id: string;
            /** @description Counts from 0. */
            revision: string;
            /** Format: date-time */
            time: string;
            type: string;
        };
        StreamEvents: {
            content: components["schemas"]["StreamEvent"][];
        };
        StreamGatewayStateEvent: {
            gatewayHost: string | null;
            state: components["schemas"]["GatewayState"];
            /** Format: uuid */
            streamId: string;
            /** @description The owner. */
            subject: string;
        };
        StreamGatewayStateWebhook: {
            /**
             * Format: uuid
             * @description Of the event: the same on every attempt, and the header `webhook-id`.
             */
            id: string;
            payload: components["schemas"]["StreamGatewayStateEvent"];
            /** @constant */
            payloadSchema: "tributary.events.v1.StreamGatewayStateEvent";
            /**
             * Format: int64
             * @description Of the event, in milliseconds since the epoch.
             */
            timestamp: number;
            /** @enum {string} */
            type: "gateway.connected" | "gateway.disconnected" | "gateway.closed" | "gateway.error";
            webhookEndpointId: string;
        };
        StreamPage: {
            content: components["schemas"]["Stream"][];
            empty: boolean;
            first: boolean;
            last: boolean;
            /** @description Of this page, from 0. */
            number: number;
            numberOfElements: number;
            pageable: components["schemas"]["Pageable"];
            size: number;
            sort: components["schemas"]["Sort"];
            totalElements: number;
            totalPages: number;
        };
        StreamProcessor: {
            clusterDomainName: string | null;
            destination: components["schemas"]["DataSource"];
            egress: components["schemas"]["Egress"];
            id: string;
            podsDiscoveryClusterDomainName: string | null;
            properties: {
                [key: string]: unknown;
            };
            /** @description Fully qualified name of the schema of the properties. */
            propertiesSchema: string;
            source: components["schemas"]["ProcessorSource"];
        };
        StreamProcessorStateEvent: {
            /** @description Why, where there is something to say. */
            details: string | null;
            /** @description The processor's id in the chain. */
            processorConfigurationId: string;
            state: components["schemas"]["ProcessorState"];
            /** Format: uuid */
            streamId: string;
            /** @description The owner. */
            subject: string;
        };
        StreamProcessorStateWebhook: {
            /**
             * Format: uuid
             * @description Of the event: the same on every attempt, and the header `webhook-id`.
             */
            id: string;
            payload: components["schemas"]["StreamProcessorStateEvent"];
            /** @constant */
            payloadSchema: "tributary.events.v1.StreamProcessorStateEvent";
            /**
             * Format: int64
             * @description Of the event, in milliseconds since the epoch.
             */
            timestamp: number;
            /** @enum {string} */
            type: "processor.running" | "processor.completed" | "processor.error";
            webhookEndpointId: string;
        };
        /** @enum {string} */
        StreamState: "READY" | "COMPLETED" | "FAILED" | "EXPIRED";
        StreamStateEvent: {
            dynamicWebhookEndpoints: components["schemas"]["WebhookEndpoint"][];
            /** Format: uuid */
            groupId: string;
            state: components["schemas"]["StreamState"];
            stream: components["schemas"]["Stream"];
            /** Format: uuid */
            streamId: string;
            /** @description The owner. */
            subject: string;
        };
        StreamStateWebhook: {
            /**
             * Format: uuid
             * @description Of the event: the same on every attempt, and the header `webhook-id`.
             */
            id: string;
            payload: components["schemas"]["StreamStateEvent"];
            /** @constant */
            payloadSchema: "tributary.events.v1.StreamStateEvent";
            /**
             * Format: int64
             * @description Of the event, in milliseconds since the epoch.
             */
            timestamp: number;
            /** @enum {string} */
            type: "stream.ready" | "stream.completed" | "stream.failed" | "stream.expired";
            webhookEndpointId: string;
        };
        StreamUsage: {
            /** Format: uuid */
            creatorId: string;
            /** @description Of the amounts in `credits`; null when they are credits. */
            currency: string | null;
            /** Format: uuid */
            groupId: string;
            processors: components["schemas"]["ProcessorUsage"][];
            streamConfigurationTemplateId: string;
            /** Format: uuid */
            streamId: string;
        };
        Summary: {
            content: string;
        };
        TemplateDraft: {
            /** @description `bytes` (default) or `string`. */
            dataSourceSchema?: string | null;
            description?: string | null;
            /** @description The template to replace; absent, null or empty creates one. */
            id?: string | null;
            name: string;
            /** @description Alias to the path that it stands for. */
            patchAliases?: {
                [key: string]: string;
            } | null;
            processors?: components["schemas"]["TemplateProcessorDraft"][] | null;
        };
        TemplatePatches: {
            jsonPatches: (components["schemas"]["PatchOperation"] | string)[];
        };
        TemplateProcessor: {
            description: string | null;
            destinationTopicHeaders: {
                [key: string]: unknown;
            };
            destinationTopicMessageHeaders: {
                [key: string]: unknown;
            };
            egress: components["schemas"]["Egress"];
            id: string;
            name: string;
            /** @description Alias to the path that it stands for. */
            patchAliases: {
                [key: string]: string;
            };
            /** @description Null reads the data source. */
            previousProcessorId: string | null;
            processorDeclaration: components["schemas"]["ProcessorDeclaration"];
            properties: {
                [key: string]: unknown;
            };
            propertiesSchema: string;
            sourceSubscriptionHeaders: {
                [key: string]: unknown;
            };
        };
        TemplateProcessorDraft: {
            description?: string | null;
            destinationTopicHeaders?: {
                [key: string]: unknown;
            } | null;
            destinationTopicMessageHeaders?: {
                [key: string]: unknown;
            } | null;
            egress?: {
                persist?: boolean | null;
                sink?: boolean | null;
                tags?: string[] | null;
            } | null;
            id: string;
            name?: string | null;
            /** @description Alias to the path that it stands for. */
            patchAliases?: {
                [key: string]: string;
            } | null;
            /** @description The processor that it reads; null or absent reads the data source. */
            previousProcessorId?: string | null;
            processorDeclaration?: {
                id?: string | null;
            } | null;
            /** @description Id of its declaration. Or give `processorDeclaration`, as it was got. */
            processorDeclarationId?: string | null;
            /** @description In the form of the declaration's `propertiesJsonSchema`. */
            properties?: {
                [key: string]: unknown;
            } | null;
            sourceSubscriptionHeaders?: {
                [key: string]: unknown;
            } | null;
        };
        Token: {
            access_token: string;
            /** @description Seconds. */
            expires_in: number;
            token_type: string;
        };
        TokenError: {
            /** @enum {string} */
            error: "invalid_request" | "invalid_client" | "unsupported_grant_type";
            error_description: string;
        };
        TokenRequest: {
            client_id?: string;
            client_secret?: string;
            /** @constant */
            grant_type: "client_credentials";
        };
        TranscribedWord: {
            confidence: number | null;
            end: number | null;
            language: string | null;
            /** @description `speakers` and `speakersOverlap` once a diarization has passed over it. */
            metadata: {
                [key: string]: unknown;
            };
            start: number | null;
            word: string;
        };
        Transcription: {
            text: string;
            words: components["schemas"]["Word"][];
        };
        TranscriptionMessage: {
            channel: string | null;
            end: number | null;
            metadata: {
                [key: string]: unknown;
            };
            start: number | null;
            transcription: string;
            /** @description Whether this is a whole utterance. */
            utterance: boolean;
            words: components["schemas"]["TranscribedWord"][];
        };
        UploadConfiguration: {
            /** @description Alias or path to the value that it gets. Text with a leading `+` adds, `-` removes, `\` escapes a leading + or -, as in the query. */
            patches?: {
                [key: string]: unknown;
            };
            /** @description URL to what it is told of; at most 3 URLs. */
            webhook?: {
                [key: string]: ("*" | "stream.*" | "group.*" | "stream.ready" | "stream.completed" | "stream.failed" | "stream.expired" | "group.created" | "group.completed" | "group.failed" | "group.expired" | "group.stream-joined")[];
            };
        };
        UsageAggregate: {
            /** @description A decimal number, in credits or in the currency asked for. */
            credits: string;
            /** Format: date-time */
            endTimestamp: string;
            measurements: {
                [key: string]: number;
            };
            operationType: components["schemas"]["OperationType"] | null;
            /** Format: date-time */
            startTimestamp: string;
            streamConfigurationTemplateId: string | null;
            streamsCount: number;
        };
        UsageReport: {
            aggregatedMeasurements: components["schemas"]["UsageAggregate"][];
            /** @description Of the amounts in `credits`; null when they are credits. */
            currency: string | null;
            /** Format: date-time */
            endTimestamp: string;
            /** @enum {string} */
            granularity: "HOURS" | "DAYS" | "MONTHS";
            operationTypeAggregatedMeasurements: components["schemas"]["UsageAggregate"][];
            /** Format: date-time */
            startTimestamp: string;
            streamConfigurationTemplateIdAggregatedMeasurements: components["schemas"]["UsageAggregate"][];
            totalMeasurements: components["schemas"]["UsageAggregate"];
        };
        Utterance: {
            channel?: string;
            end?: number;
            overlap?: boolean;
            speakerIds?: string[];
            start?: number;
            text: string;
            words: components["schemas"]["Word"][];
        };
        Verification: {
            /** @description Events looked at. */
            checked: number;
            firstBroken: components["schemas"]["BrokenEvent"] | null;
            ok: boolean;
            /** @description Position up to which seals cover everything. */
            sealed: string | null;
        };
        WebhookDelivery: {
            attempts: components["schemas"]["DeliveryAttempt"][];
            /** Format: date-time */
            deadline: string;
            deliveryId: string;
            /** @description `webhook-id` of every attempt. */
            eventId: string;
            /** Format: date-time */
            nextAttempt: string | null;
            /** @description Counts the deliveries of the endpoint; null for a ping. */
            sequence: number | null;
            state: components["schemas"]["DeliveryState"];
            type: string;
        };
        WebhookDeliveryPage: {
            content: components["schemas"]["WebhookDelivery"][];
            empty: boolean;
            first: boolean;
            last: boolean;
            /** @description Of this page, from 0. */
            number: number;
            numberOfElements: number;
            pageable: components["schemas"]["Pageable"];
            size: number;
            sort: components["schemas"]["Sort"];
            totalElements: number;
            totalPages: number;
        };
        WebhookEndpoint: {
            description: string | null;
            /** @description Null while enabled. */
            disabledReason: string | null;
            /**
             * Format: date-time
             * @description Null while enabled.
             */
            disabledTimestamp: string | null;
            enabled: boolean;
            /** @description Event types and wildcards, as they were given. */
            events: string[];
            id: string;
            url: string;
        };
        WebhookEndpointDraft: {
            description?: string | null;
            /** @description Default: true. */
            enabled?: boolean | null;
            /** @description Event types, and the wildcards * and <resource>.* */
            events: components["schemas"]["WebhookEventFilter"][];
            /** @description Of the endpoint to replace; absent, null or empty: a new one. */
            id?: string | null;
            /**
             * Format: uri
             * @description http or https, not to a local address.
             */
            url: string;
        };
        WebhookEvent: components["schemas"]["StreamStateWebhook"] | components["schemas"]["GroupStateChangedWebhook"] | components["schemas"]["GroupStreamJoinedWebhook"] | components["schemas"]["StreamGatewayStateWebhook"] | components["schemas"]["StreamProcessorStateWebhook"] | components["schemas"]["PingWebhook"];
        /** @enum {string} */
        WebhookEventFilter: "stream.ready" | "stream.completed" | "stream.failed" | "stream.expired" | "group.created" | "group.completed" | "group.failed" | "group.expired" | "group.stream-joined" | "gateway.connected" | "gateway.disconnected" | "gateway.closed" | "gateway.error" | "processor.running" | "processor.completed" | "processor.error" | "*" | "stream.*" | "group.*" | "gateway.*" | "processor.*";
        /** @enum {string} */
        WebhookEventType: "stream.ready" | "stream.completed" | "stream.failed" | "stream.expired" | "group.created" | "group.completed" | "group.failed" | "group.expired" | "group.stream-joined" | "gateway.connected" | "gateway.disconnected" | "gateway.closed" | "gateway.error" | "processor.running" | "processor.completed" | "processor.error";
        WebhookSecret: {
            /** @description `whsec_` and the base64 of 32 bytes, as Standard Webhooks has it. */
            secret: string;
        };
        WebhookTest: {
            deliveryId: string;
        };
        Word: {
            channel?: string;
            confidence?: number;
            end?: number;
            language?: string;
            speakers?: string[];
            speakersOverlap?: boolean;
            start?: number;
            /** @description With its leading space: joined without separator, the words give the text. */
            word: string;
        };
    };
    responses: {
        /** @description A parameter, the body or the request itself is not as it must be. */
        BadRequest: {
            headers: {
                "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorResponse"];
            };
        };
        /** @description The body is too large. */
        ContentTooLarge: {
            headers: {
                "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorResponse"];
            };
        };
        /** @description The role or the owner is missing. */
        Forbidden: {
            headers: {
                "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorResponse"];
            };
        };
        /** @description An error of the platform. */
        InternalServerError: {
            headers: {
                "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorResponse"];
            };
        };
        /** @description Unknown, or not visible to the caller. */
        NotFound: {
            headers: {
                "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorResponse"];
            };
        };
        /** @description The body did not arrive in time. */
        RequestTimeout: {
            headers: {
                "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorResponse"];
            };
        };
        /** @description A store is away, or the server is stopping. */
        ServiceUnavailable: {
            headers: {
                "Retry-After": components["headers"]["Retry-After"];
                "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorResponse"];
            };
        };
        /** @description Too many wrong credentials, or too much at once. */
        TooManyRequests: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorResponse"];
            };
        };
        /** @description No credential, or a wrong one. */
        Unauthorized: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorResponse"];
            };
        };
        /** @description Wrong content type or encoding. */
        UnsupportedMediaType: {
            headers: {
                "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorResponse"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: {
        /** @description Parts can be asked for with Range. */
        "Accept-Ranges": "bytes";
        /**
         * @description Which part it is, and how many bytes there are.
         * @example bytes 0-1023/4096
         */
        "Content-Range": string;
        /** @description Names the state that is shown; for If-Match, or If-Range. */
        ETag: string;
        /** @description Where the thing that was made is found. */
        Location: string;
        /**
         * @description What is left of a limit: its name, `r` how many more, `t` seconds until there are more (draft-ietf-httpapi-ratelimit-headers).
         * @example "wrong-credentials";r=99;t=60
         */
        RateLimit: string;
        /**
         * @description The limit: its name, `q` how many, `w` in how many seconds (none: at once).
         * @example "concurrent-streams";q=1000
         */
        "RateLimit-Policy": string;
        /** @description Seconds to wait before the request is worth repeating. */
        "Retry-After": number;
        /** @description `pending`: accepted and durable, but not in every view yet. Send Tributary-Position as Tributary-After with later reads. */
        "Tributary-Consistency": "pending";
        /** @description Position in the log of what was accepted. Only beside Tributary-Consistency. */
        "Tributary-Position": string;
        /** @description The protocol that is spoken here. */
        Upgrade: string;
        /** @description How to authenticate (RFC 9110, 11.6.1). */
        "WWW-Authenticate": string;
        /** @description Names the request in the logs and in the events that it caused. One that is sent is taken over. */
        "X-Correlation-Id": string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    getAsyncapi: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description AsyncAPI 3.0. */
            200: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            400: components["responses"]["BadRequest"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    findEventStreamState: {
        parameters: {
            query?: {
                /** @description A revision (from 0) or an ISO 8601 time, inclusive. Default: now. */
                asOf?: string;
                /** @description Another moment; `difference` is the JSON Patch (RFC 6902) that makes its state of `state`. */
                compareWith?: string;
            };
            header?: {
                /** @description The Tributary-Position of an earlier answer: this read waits until it shows that, or answers 503. */
                "Tributary-After"?: string;
            };
            path: {
                /**
                 * @description Name of the event stream, such as `stream-` and the id of a stream.
                 * @example stream-0f1e2d3c-4b5a-4978-8a96-a5b4c3d2e1f0
                 */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The state, folded up to that point; `null` personal members have been erased. */
            200: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventStreamState"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            /** @description The event stream is not as it was written, and cannot be folded: `verify` says more. */
            409: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    findEvents: {
        parameters: {
            query?: {
                /** @description A position: only events behind it, in the order asked for. */
                after?: string;
                /** @description Only event streams whose name begins so, up to the first `-`. */
                category?: string;
                /** @description Only events that came of this request. */
                correlationId?: string;
                /** @description Only events of this event stream. */
                eventStream?: string;
                /** @description `stored`: as the hashes were made of it, personal members encrypted, old versions as they were written. */
                form?: "readable" | "stored";
                /** @description Only events of this time or later, ISO 8601. */
                from?: string;
                /** @description Of the log. */
                order?: "asc" | "desc";
                /** @description Events in a page (default 100); as NDJSON in all (default: all). */
                size?: number;
                /** @description Only events of this owner. */
                subject?: string;
                /** @description Only events of this time or earlier, ISO 8601. */
                to?: string;
                /** @description Only events of this type. */
                type?: string;
            };
            header?: {
                /** @description The Tributary-Position of an earlier answer: this read waits until it shows that, or answers 503. */
                "Tributary-After"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description `next` is the `after` of the next page, null at the end. With `Accept: application/x-ndjson` an event a line. */
            200: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LogEventPage"];
                    "application/x-ndjson": components["schemas"]["LogEvent"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    findEvent: {
        parameters: {
            query?: never;
            header?: {
                /** @description The Tributary-Position of an earlier answer: this read waits until it shows that, or answers 503. */
                "Tributary-After"?: string;
            };
            path: {
                /**
                 * @description The event.
                 * @example e2a4c6d8-1b3f-4a5c-9d7e-8f6a4c2b0e19
                 */
                eventId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The event. */
            200: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LogEvent"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    eraseSubject: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The person: the `subject` of their credentials.
                 * @example 3c9d2e7f-8a1b-4c6d-b5e4-f2a1908d7c6b
                 */
                subject: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What was destroyed; zeros the second time. */
            200: {
                headers: {
                    "Tributary-Consistency": components["headers"]["Tributary-Consistency"];
                    "Tributary-Position": components["headers"]["Tributary-Position"];
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Erasure"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    verifyLog: {
        parameters: {
            query?: {
                /** @description Only this event stream. */
                eventStream?: string;
            };
            header?: {
                /** @description The Tributary-Position of an earlier answer: this read waits until it shows that, or answers 503. */
                "Tributary-After"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The verdict, also when something is broken. */
            200: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Verification"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description No such event stream. */
            404: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listCredentials: {
        parameters: {
            query?: {
                /** @description Page number, from 0. */
                page?: number;
                /** @description Items on a page. */
                size?: number;
                /** @description Whose credentials; `*`: everybody's. Default: the caller's, and those that the caller issued. */
                subject?: string;
            };
            header?: {
                /** @description The Tributary-Position of an earlier answer: this read waits until it shows that, or answers 503. */
                "Tributary-After"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of credentials, without secrets. */
            200: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CredentialPage"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    issueCredential: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CredentialDraft"];
            };
        };
        responses: {
            /** @description The credential and its secret. */
            201: {
                headers: {
                    Location: components["headers"]["Location"];
                    "Tributary-Consistency": components["headers"]["Tributary-Consistency"];
                    "Tributary-Position": components["headers"]["Tributary-Position"];
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IssuedCredential"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            /** @description The subject has been erased. */
            409: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getCredential: {
        parameters: {
            query?: never;
            header?: {
                /** @description The Tributary-Position of an earlier answer: this read waits until it shows that, or answers 503. */
                "Tributary-After"?: string;
            };
            path: {
                /**
                 * @description The credential.
                 * @example c8f6a9e2-3d41-4e77-b5a0-9e2d7c4f1b08
                 */
                credentialId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The credential. */
            200: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Credential"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    revokeCredential: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The credential.
                 * @example c8f6a9e2-3d41-4e77-b5a0-9e2d7c4f1b08
                 */
                credentialId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Revoked. */
            204: {
                headers: {
                    "Tributary-Consistency": components["headers"]["Tributary-Consistency"];
                    "Tributary-Position": components["headers"]["Tributary-Position"];
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    rotateCredential: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The credential.
                 * @example c8f6a9e2-3d41-4e77-b5a0-9e2d7c4f1b08
                 */
                credentialId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The credential and its new secret. */
            200: {
                headers: {
                    "Tributary-Consistency": components["headers"]["Tributary-Consistency"];
                    "Tributary-Position": components["headers"]["Tributary-Position"];
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IssuedCredential"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getOwnCredential: {
        parameters: {
            query?: never;
            header?: {
                /** @description The Tributary-Position of an earlier answer: this read waits until it shows that, or answers 503. */
                "Tributary-After"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The caller. */
            200: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Caller"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getDocs: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The page. */
            200: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            400: components["responses"]["BadRequest"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    readLive: {
        parameters: {
            query?: {
                /** @description Whether partial results are wanted too. */
                acceptFrameType?: "partial-final" | "final";
                /** @description How many streams of the group, in order of creation, when none are listed. Default: all that are there. */
                count?: number;
                /** @description Leaves out messages whose payload is null or empty. */
                excludeNoPayload?: boolean;
                /** @description NDJSON (also called EVENTS): a JSON line a message. RAW: the payloads alone; of sinks of bytes or text just these. */
                format?: "NDJSON" | "EVENTS" | "RAW";
                /** @description Group of the streams. */
                group?: string;
                /** @description Whether a sink must have all of the tags or any of them. */
                matchTags?: "ALL" | "ANY";
                /** @description Gives null for every payload. Not with RAW. */
                omitPayload?: boolean;
                /** @description `sinkTopicName=messageId`: goes on after that message of that sink. Repeated, one for each sink. */
                resume?: string[];
                /** @description The same as `streams`; both together are one list. */
                streamIds?: string[];
                /**
                 * @description Stream ids, repeated or comma-separated; all of one group.
                 * @example [
                 *       "0f1e2d3c-4b5a-4978-8a96-a5b4c3d2e1f0"
                 *     ]
                 */
                streams?: string[];
                /** @description Whether `streams` are those wanted or those left out. EXCLUDE needs `group` and `count`. */
                streamsInclusion?: "INCLUDE" | "EXCLUDE";
                /** @description Tags of the sinks, repeated or comma-separated. Default: main. */
                tags?: string[];
                /** @description Milliseconds to wait for the streams to be created. Default and cap: what the server allows. */
                timeout?: number;
            };
            header?: {
                /** @description The Tributary-Position of an earlier answer: this read waits until it shows that, or answers 503. */
                "Tributary-After"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A JSON line a message, or with RAW the bytes. Headers go out when the streams exist. */
            200: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": unknown;
                    "application/x-ndjson": components["schemas"]["SinkMessage"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description The streams were not created in time. */
            404: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    exportStreams: {
        parameters: {
            query?: {
                /** @description How many streams of the group, in order of creation, when none are listed. Default: all that are there. */
                count?: number;
                /** @description Group of the streams. */
                group?: string;
                /** @description Whether a sink must have all of the tags or any of them. */
                matchTags?: "ALL" | "ANY";
                /** @description Gives null for every payload. Only with EVENTS. */
                omitPayload?: boolean;
                /**
                 * @description Stream ids, repeated or comma-separated; all of one group.
                 * @example [
                 *       "0f1e2d3c-4b5a-4978-8a96-a5b4c3d2e1f0"
                 *     ]
                 */
                streams?: string[];
                /** @description Whether `streams` are those wanted or those left out. EXCLUDE needs `group` and `count`. */
                streamsInclusion?: "INCLUDE" | "EXCLUDE";
                /** @description Tags of the sinks, repeated or comma-separated. Default: main. */
                tags?: string[];
                /** @description Milliseconds to wait for the streams to be created. Default and cap: what the server allows. */
                timeout?: number;
            };
            header?: {
                /** @description The Tributary-Position of an earlier answer: this read waits until it shows that, or answers 503. */
                "Tributary-After"?: string;
            };
            path: {
                /**
                 * @description The form of the results.
                 * @example JSON
                 */
                format: "JSON" | "TEXT" | "EVENTS" | "SRT" | "VTT";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The results. The content type is that of the format. */
            200: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExportResult"];
                    "application/x-ndjson": components["schemas"]["SinkMessage"];
                    "application/x-subrip": string;
                    "text/plain; charset=utf-8": string;
                    "text/vtt": string;
                };
            };
            /** @description No persistent sink matched, the format does not apply to the sinks, or the streams have expired. */
            204: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            /** @description The streams did not end in time. */
            504: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    getLiveness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It does. */
            200: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
            400: components["responses"]["BadRequest"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getReadiness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description They can. */
            200: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
            400: components["responses"]["BadRequest"];
            500: components["responses"]["InternalServerError"];
            /** @description They cannot. */
            503: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
        };
    };
    upload: {
        parameters: {
            query: {
                /** @description Group that the stream joins, made when there is none. Default: a group of its own. */
                groupId?: string;
                /**
                 * @description Id of the new stream. Default: a random one.
                 * @example 0f1e2d3c-4b5a-4978-8a96-a5b4c3d2e1f0
                 */
                id?: string;
                /** @description Whether a sink needs all the tags. */
                matchPersistTags?: "ALL" | "ANY";
                /** @description Name of the new stream. Default: a random one. */
                name?: string;
                /**
                 * @description Keeps the sinks for export.
                 * @example true
                 */
                persist?: boolean;
                /** @description Keeps only the sinks that carry the tags. */
                persistTags?: string[];
                /**
                 * @description The template of the chain.
                 * @example 7472696275746172790a7478
                 */
                streamConfigurationTemplateId: string;
            };
            header?: {
                /** @description The same key with the same parameters makes one stream, however often it is sent; with other parameters it is 409. */
                "Idempotency-Key"?: string;
                /** @description Patches of the template as JSON text: an operation of RFC 6902 or a list of them. */
                "X-Template-Patch"?: string;
                /** @description Patches of the template as JSON text: an operation of RFC 6902 or a list of them. Another name of X-Template-Patch. */
                "X-Vat-Meta-Template-Patch"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "*/*": unknown;
                "application/octet-stream": unknown;
                "multipart/form-data": {
                    configuration?: components["schemas"]["UploadConfiguration"];
                    /** @description The bytes. Names of parts do not matter, their order does; one part alone is the file. */
                    file: string;
                };
                "text/plain": string;
            };
        };
        responses: {
            /** @description The stream, with all its bytes durable. */
            200: {
                headers: {
                    Location: components["headers"]["Location"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Tributary-Consistency": components["headers"]["Tributary-Consistency"];
                    "Tributary-Position": components["headers"]["Tributary-Position"];
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Stream"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description No such template, or a group of another owner. */
            404: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            408: components["responses"]["RequestTimeout"];
            /** @description The id is in use, or the stream was canceled meanwhile. */
            409: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body is encoded, or multipart of another kind. */
            415: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Too many running streams. */
            429: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getMetrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The text format of Prometheus, 0.0.4. */
            200: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            400: components["responses"]["BadRequest"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    findAllWebhookEndpoints: {
        parameters: {
            query?: {
                /** @description Whose endpoints; another than the caller is for admins. Default: the caller. */
                subject?: string;
            };
            header?: {
                /** @description The Tributary-Position of an earlier answer: this read waits until it shows that, or answers 503. */
                "Tributary-After"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All of them. */
            200: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookEndpoint"][];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    saveWebhookEndpoint: {
        parameters: {
            query?: {
                /** @description Whose endpoints; another than the caller is for admins. Default: the caller. */
                subject?: string;
            };
            header?: {
                /** @description The ETag of the state that is to be changed: another one now is 409. `*`: whatever it is, as long as there is one. */
                "If-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WebhookEndpointDraft"];
            };
        };
        responses: {
            /** @description The endpoint; its version as an ETag. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    Location: components["headers"]["Location"];
                    "Tributary-Consistency": components["headers"]["Tributary-Consistency"];
                    "Tributary-Position": components["headers"]["Tributary-Position"];
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookEndpoint"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            /** @description If-Match names another state than the present one. */
            409: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    findWebhookEndpointById: {
        parameters: {
            query?: {
                /** @description Whose endpoints; another than the caller is for admins. Default: the caller. */
                subject?: string;
            };
            header?: {
                /** @description The Tributary-Position of an earlier answer: this read waits until it shows that, or answers 503. */
                "Tributary-After"?: string;
            };
            path: {
                /**
                 * @description The webhook endpoint.
                 * @example d1b7f2c4-6f0e-4b0c-9a3d-5f1c2e8b7a60
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The endpoint; its version as an ETag. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookEndpoint"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    deleteWebhookEndpoint: {
        parameters: {
            query?: {
                /** @description Whose endpoints; another than the caller is for admins. Default: the caller. */
                subject?: string;
            };
            header?: {
                /** @description The ETag of the state that is to be changed: another one now is 409. `*`: whatever it is, as long as there is one. */
                "If-Match"?: string;
            };
            path: {
                /**
                 * @description The webhook endpoint.
                 * @example d1b7f2c4-6f0e-4b0c-9a3d-5f1c2e8b7a60
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted. */
            204: {
                headers: {
                    "Tributary-Consistency": components["headers"]["Tributary-Consistency"];
                    "Tributary-Position": components["headers"]["Tributary-Position"];
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            /** @description If-Match names another state than the present one. */
            409: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    findWebhookDeliveries: {
        parameters: {
            query?: {
                /** @description Page number, from 0. */
                page?: number;
                /** @description Items on a page. */
                size?: number;
                /** @description Only deliveries in this state. */
                state?: "pending" | "delivered" | "failed" | "refused" | "exhausted";
                /** @description Whose endpoints; another than the caller is for admins. Default: the caller. */
                subject?: string;
            };
            header?: {
                /** @description The Tributary-Position of an earlier answer: this read waits until it shows that, or answers 503. */
                "Tributary-After"?: string;
            };
            path: {
                /**
                 * @description The webhook endpoint.
                 * @example d1b7f2c4-6f0e-4b0c-9a3d-5f1c2e8b7a60
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of deliveries. */
            200: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDeliveryPage"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    resendWebhookDelivery: {
        parameters: {
            query?: {
                /** @description Whose endpoints; another than the caller is for admins. Default: the caller. */
                subject?: string;
            };
            header?: never;
            path: {
                /**
                 * @description The delivery.
                 * @example b0a3c1de-94f4-5a57-8c1b-0d2f6a1e7c35
                 */
                deliveryId: string;
                /**
                 * @description The webhook endpoint.
                 * @example d1b7f2c4-6f0e-4b0c-9a3d-5f1c2e8b7a60
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Taken up. */
            202: {
                headers: {
                    "Tributary-Consistency": components["headers"]["Tributary-Consistency"];
                    "Tributary-Position": components["headers"]["Tributary-Position"];
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            /** @description The delivery is still pending. */
            409: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    toggleWebhookEndpoint: {
        parameters: {
            query?: {
                /** @description Whose endpoints; another than the caller is for admins. Default: the caller. */
                subject?: string;
            };
            header?: {
                /** @description The ETag of the state that is to be changed: another one now is 409. `*`: whatever it is, as long as there is one. */
                "If-Match"?: string;
            };
            path: {
                /**
                 * @description Whether it is to be sent anything.
                 * @example true
                 */
                enabled: "true" | "false";
                /**
                 * @description The webhook endpoint.
                 * @example d1b7f2c4-6f0e-4b0c-9a3d-5f1c2e8b7a60
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The endpoint; its version as an ETag. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Tributary-Consistency": components["headers"]["Tributary-Consistency"];
                    "Tributary-Position": components["headers"]["Tributary-Position"];
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookEndpoint"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            /** @description If-Match names another state than the present one. */
            409: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    recoverWebhookDeliveries: {
        parameters: {
            query?: {
                /** @description Whose endpoints; another than the caller is for admins. Default: the caller. */
                subject?: string;
            };
            header?: never;
            path: {
                /**
                 * @description The webhook endpoint.
                 * @example d1b7f2c4-6f0e-4b0c-9a3d-5f1c2e8b7a60
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Recovery"];
            };
        };
        responses: {
            /** @description How many deliveries were scheduled. */
            202: {
                headers: {
                    "Tributary-Consistency": components["headers"]["Tributary-Consistency"];
                    "Tributary-Position": components["headers"]["Tributary-Position"];
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ScheduledRecovery"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            /** @description The endpoint is disabled: enable it first. */
            409: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getWebhookEndpointSecret: {
        parameters: {
            query?: {
                /** @description Whose endpoints; another than the caller is for admins. Default: the caller. */
                subject?: string;
            };
            header?: {
                /** @description The Tributary-Position of an earlier answer: this read waits until it shows that, or answers 503. */
                "Tributary-After"?: string;
            };
            path: {
                /**
                 * @description The webhook endpoint.
                 * @example d1b7f2c4-6f0e-4b0c-9a3d-5f1c2e8b7a60
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The secret that signs now. */
            200: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookSecret"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    rotateWebhookEndpointSecret: {
        parameters: {
            query?: {
                /** @description Whose endpoints; another than the caller is for admins. Default: the caller. */
                subject?: string;
            };
            header?: never;
            path: {
                /**
                 * @description The webhook endpoint.
                 * @example d1b7f2c4-6f0e-4b0c-9a3d-5f1c2e8b7a60
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The new secret; those before sign beside it for 24 hours. */
            200: {
                headers: {
                    "Tributary-Consistency": components["headers"]["Tributary-Consistency"];
                    "Tributary-Position": components["headers"]["Tributary-Position"];
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RotatedWebhookSecret"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    testWebhookEndpoint: {
        parameters: {
            query?: {
                /** @description Whose endpoints; another than the caller is for admins. Default: the caller. */
                subject?: string;
            };
            header?: never;
            path: {
                /**
                 * @description The webhook endpoint.
                 * @example d1b7f2c4-6f0e-4b0c-9a3d-5f1c2e8b7a60
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The delivery to look at. */
            202: {
                headers: {
                    "Tributary-Consistency": components["headers"]["Tributary-Consistency"];
                    "Tributary-Position": components["headers"]["Tributary-Position"];
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookTest"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getWebhookAccountSecret: {
        parameters: {
            query?: {
                /** @description Whose endpoints; another than the caller is for admins. Default: the caller. */
                subject?: string;
            };
            header?: {
                /** @description The Tributary-Position of an earlier answer: this read waits until it shows that, or answers 503. */
                "Tributary-After"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The secret that signs now. */
            200: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookSecret"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    rotateWebhookAccountSecret: {
        parameters: {
            query?: {
                /** @description Whose endpoints; another than the caller is for admins. Default: the caller. */
                subject?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The new secret; those before sign beside it for 24 hours. */
            200: {
                headers: {
                    "Tributary-Consistency": components["headers"]["Tributary-Consistency"];
                    "Tributary-Position": components["headers"]["Tributary-Position"];
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RotatedWebhookSecret"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    findDynamicWebhookDeliveries: {
        parameters: {
            query?: {
                /** @description Page number, from 0. */
                page?: number;
                /** @description Items on a page. */
                size?: number;
                /** @description Only deliveries in this state. */
                state?: "pending" | "delivered" | "failed" | "refused" | "exhausted";
            };
            header?: {
                /** @description The Tributary-Position of an earlier answer: this read waits until it shows that, or answers 503. */
                "Tributary-After"?: string;
            };
            path: {
                /**
                 * @description The stream.
                 * @example 0f1e2d3c-4b5a-4978-8a96-a5b4c3d2e1f0
                 */
                streamId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of deliveries. */
            200: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DynamicWebhookDeliveryPage"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getSupportedEvents: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Event types. */
            200: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookEventType"][];
                };
            };
            400: components["responses"]["BadRequest"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getOpenapi: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OpenAPI 3.1. */
            200: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            400: components["responses"]["BadRequest"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    findLeases: {
        parameters: {
            query?: never;
            header?: {
                /** @description The Tributary-Position of an earlier answer: this read waits until it shows that, or answers 503. */
                "Tributary-After"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The leases that are held. */
            200: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Lease"][];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    findPartitions: {
        parameters: {
            query?: never;
            header?: {
                /** @description The Tributary-Position of an earlier answer: this read waits until it shows that, or answers 503. */
                "Tributary-After"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The leases of the partitions that are held. */
            200: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Lease"][];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    findProjections: {
        parameters: {
            query?: never;
            header?: {
                /** @description The Tributary-Position of an earlier answer: this read waits until it shows that, or answers 503. */
                "Tributary-After"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A row each. */
            200: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Projection"][];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    rebuildProjection: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Name of the read model, or `all`.
                 * @example groups
                 */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Begun: the list of projections shows how far it is. */
            202: {
                headers: {
                    "Tributary-Consistency": components["headers"]["Tributary-Consistency"];
                    "Tributary-Position": components["headers"]["Tributary-Position"];
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Projection"][];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            /** @description It is being built already. */
            409: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    findStores: {
        parameters: {
            query?: never;
            header?: {
                /** @description The Tributary-Position of an earlier answer: this read waits until it shows that, or answers 503. */
                "Tributary-After"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A row each. */
            200: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StoreHealth"][];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getOpenidConfiguration: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The realm of this deployment.
                 * @example tributary
                 */
                realm: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The discovery document. */
            200: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getTokenKeys: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The realm of this deployment.
                 * @example tributary
                 */
                realm: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A JSON Web Key Set. */
            200: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JsonWebKeySet"];
                };
            };
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    exchangeToken: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The realm of this deployment.
                 * @example tributary
                 */
                realm: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-www-form-urlencoded": components["schemas"]["TokenRequest"];
            };
        };
        responses: {
            /** @description The token. */
            200: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Token"];
                };
            };
            /** @description invalid_request or unsupported_grant_type. */
            400: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenError"];
                };
            };
            /** @description invalid_client. */
            401: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenError"];
                };
            };
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            /** @description Too many wrong pairs. */
            429: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenError"];
                };
            };
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    findAllProcessorDeclarations: {
        parameters: {
            query?: {
                /** @description Page number, from 0. */
                page?: number;
                /** @description Items on a page. */
                size?: number;
            };
            header?: {
                /** @description The Tributary-Position of an earlier answer: this read waits until it shows that, or answers 503. */
                "Tributary-After"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of processor declarations. */
            200: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProcessorDeclarationPage"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    findAllTemplates: {
        parameters: {
            query?: {
                /** @description Page number, from 0. */
                page?: number;
                /** @description Items on a page. */
                size?: number;
                /** @description Whose list; for admins. Default: the own one. */
                subject?: string;
            };
            header?: {
                /** @description The Tributary-Position of an earlier answer: this read waits until it shows that, or answers 503. */
                "Tributary-After"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of templates. */
            200: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StreamConfigurationTemplatePage"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    saveTemplate: {
        parameters: {
            query?: {
                /** @description Answers what would come out, and changes nothing. */
                dryRun?: boolean;
            };
            header?: {
                /** @description The ETag of the state that is to be changed: another one now is 409. `*`: whatever it is, as long as there is one. */
                "If-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TemplateDraft"];
            };
        };
        responses: {
            /** @description The template as it is now. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    Location: components["headers"]["Location"];
                    "Tributary-Consistency": components["headers"]["Tributary-Consistency"];
                    "Tributary-Position": components["headers"]["Tributary-Position"];
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StreamConfigurationTemplate"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            /** @description `If-Match` does not match. */
            409: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    findTemplateById: {
        parameters: {
            query?: {
                /** @description An earlier version. Default: the newest. */
                version?: number;
            };
            header?: {
                /** @description The Tributary-Position of an earlier answer: this read waits until it shows that, or answers 503. */
                "Tributary-After"?: string;
            };
            path: {
                /**
                 * @description The template.
                 * @example 7472696275746172790a7478
                 */
                streamConfigurationTemplateId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The template; its state as an ETag. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StreamConfigurationTemplate"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    deleteTemplate: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the state that is to be changed: another one now is 409. `*`: whatever it is, as long as there is one. */
                "If-Match"?: string;
            };
            path: {
                /**
                 * @description The template.
                 * @example 7472696275746172790a7478
                 */
                streamConfigurationTemplateId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted. */
            204: {
                headers: {
                    "Tributary-Consistency": components["headers"]["Tributary-Consistency"];
                    "Tributary-Position": components["headers"]["Tributary-Position"];
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            /** @description `If-Match` does not match. */
            409: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    patchTemplate: {
        parameters: {
            query?: {
                /** @description Answers what would come out, and changes nothing. */
                dryRun?: boolean;
            };
            header?: {
                /** @description The ETag of the state that is to be changed: another one now is 409. `*`: whatever it is, as long as there is one. */
                "If-Match"?: string;
            };
            path: {
                /**
                 * @description The template.
                 * @example 7472696275746172790a7478
                 */
                streamConfigurationTemplateId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TemplatePatches"];
            };
        };
        responses: {
            /** @description The template with the patches applied. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Tributary-Consistency": components["headers"]["Tributary-Consistency"];
                    "Tributary-Position": components["headers"]["Tributary-Position"];
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StreamConfigurationTemplate"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            /** @description `If-Match` does not match. */
            409: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    findGroup: {
        parameters: {
            query?: never;
            header?: {
                /** @description The Tributary-Position of an earlier answer: this read waits until it shows that, or answers 503. */
                "Tributary-After"?: string;
            };
            path: {
                /**
                 * @description The group. The group of a stream that named none has the id of the stream.
                 * @example 0f1e2d3c-4b5a-4978-8a96-a5b4c3d2e1f0
                 */
                groupId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The group. */
            200: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Group"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    findStreams: {
        parameters: {
            query?: {
                /** @description Only streams of this group. */
                group?: string;
                /** @description Only streams of exactly this name. */
                name?: string;
                /** @description Page number, from 0. */
                page?: number;
                /** @description Items on a page. */
                size?: number;
                /** @description Only streams in one of these states. */
                state?: ("READY" | "COMPLETED" | "FAILED" | "EXPIRED")[];
                /** @description The owner whose streams are listed. Default: the caller; another is for admins. */
                subject?: string;
            };
            header?: {
                /** @description The Tributary-Position of an earlier answer: this read waits until it shows that, or answers 503. */
                "Tributary-After"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of streams. */
            200: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StreamPage"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    findStream: {
        parameters: {
            query?: never;
            header?: {
                /** @description The Tributary-Position of an earlier answer: this read waits until it shows that, or answers 503. */
                "Tributary-After"?: string;
            };
            path: {
                /**
                 * @description The stream.
                 * @example 0f1e2d3c-4b5a-4978-8a96-a5b4c3d2e1f0
                 */
                streamId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The stream. */
            200: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Stream"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    deleteStream: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The stream.
                 * @example 0f1e2d3c-4b5a-4978-8a96-a5b4c3d2e1f0
                 */
                streamId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The data are gone, now or already. */
            204: {
                headers: {
                    "Tributary-Consistency": components["headers"]["Tributary-Consistency"];
                    "Tributary-Position": components["headers"]["Tributary-Position"];
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    cancelStream: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The stream.
                 * @example 0f1e2d3c-4b5a-4978-8a96-a5b4c3d2e1f0
                 */
                streamId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The stream, FAILED. */
            200: {
                headers: {
                    "Tributary-Consistency": components["headers"]["Tributary-Consistency"];
                    "Tributary-Position": components["headers"]["Tributary-Position"];
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Stream"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            /** @description The stream has COMPLETED or EXPIRED. */
            409: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    findStreamComponents: {
        parameters: {
            query?: never;
            header?: {
                /** @description The Tributary-Position of an earlier answer: this read waits until it shows that, or answers 503. */
                "Tributary-After"?: string;
            };
            path: {
                /**
                 * @description The stream.
                 * @example 0f1e2d3c-4b5a-4978-8a96-a5b4c3d2e1f0
                 */
                streamId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The components. */
            200: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StreamComponents"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    readDataSource: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of what a part is already there of: if it is another now, everything comes. */
                "If-Range"?: string;
                /** @description The part that is wanted: one range of bytes (RFC 9110, 14.2). What is none gives everything. */
                Range?: string;
                /** @description The Tributary-Position of an earlier answer: this read waits until it shows that, or answers 503. */
                "Tributary-After"?: string;
            };
            path: {
                /**
                 * @description The stream.
                 * @example 0f1e2d3c-4b5a-4978-8a96-a5b4c3d2e1f0
                 */
                streamId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All of them. */
            200: {
                headers: {
                    "Accept-Ranges": components["headers"]["Accept-Ranges"];
                    ETag: components["headers"]["ETag"];
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": unknown;
                    "audio/aac": unknown;
                    "audio/aiff": unknown;
                    "audio/amr": unknown;
                    "audio/flac": unknown;
                    "audio/mp4": unknown;
                    "audio/mpeg": unknown;
                    "audio/ogg": unknown;
                    "audio/wav": unknown;
                    "audio/webm": unknown;
                };
            };
            /** @description The part that was asked for. */
            206: {
                headers: {
                    "Accept-Ranges": components["headers"]["Accept-Ranges"];
                    "Content-Range": components["headers"]["Content-Range"];
                    ETag: components["headers"]["ETag"];
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": unknown;
                    "audio/aac": unknown;
                    "audio/aiff": unknown;
                    "audio/amr": unknown;
                    "audio/flac": unknown;
                    "audio/mp4": unknown;
                    "audio/mpeg": unknown;
                    "audio/ogg": unknown;
                    "audio/wav": unknown;
                    "audio/webm": unknown;
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            /** @description The upload is still going on. */
            409: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description There are no bytes in that range. */
            416: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    findStreamEvents: {
        parameters: {
            query?: never;
            header?: {
                /** @description The Tributary-Position of an earlier answer: this read waits until it shows that, or answers 503. */
                "Tributary-After"?: string;
            };
            path: {
                /**
                 * @description The stream.
                 * @example 0f1e2d3c-4b5a-4978-8a96-a5b4c3d2e1f0
                 */
                streamId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All of its events. */
            200: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StreamEvents"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    findUsageReport: {
        parameters: {
            query?: {
                /** @description Currency of the amounts, such as USD or EUR. Default: credits. */
                currency?: string;
                /** @description ISO 8601, not included. Default: now. */
                end?: string;
                /** @description Length of the periods, in UTC. */
                granularity?: "HOURS" | "DAYS" | "MONTHS";
                /** @description ISO 8601; UTC unless it says otherwise. Default: the first of the month. */
                start?: string;
                /** @description Whose usage; for admins. Default: the own one. */
                subject?: string;
            };
            header?: {
                /** @description The Tributary-Position of an earlier answer: this read waits until it shows that, or answers 503. */
                "Tributary-After"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The report. */
            200: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UsageReport"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    findStreamUsage: {
        parameters: {
            query?: {
                /**
                 * @description Currency of the amounts, such as USD or EUR. Default: credits.
                 * @example USD
                 */
                currency?: string;
            };
            header?: {
                /** @description The Tributary-Position of an earlier answer: this read waits until it shows that, or answers 503. */
                "Tributary-After"?: string;
            };
            path: {
                /**
                 * @description The stream.
                 * @example 0f1e2d3c-4b5a-4978-8a96-a5b4c3d2e1f0
                 */
                streamId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The usage. */
            200: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StreamUsage"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    openWebSocket: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The WebSocket protocol. */
            101: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            /** @description The handshake has no credential, or a wrong one. */
            401: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Asked without an upgrade. */
            426: {
                headers: {
                    Upgrade: components["headers"]["Upgrade"];
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    openWebSocketSlash: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The WebSocket protocol. */
            101: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            /** @description The handshake has no credential, or a wrong one. */
            401: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Asked without an upgrade. */
            426: {
                headers: {
                    Upgrade: components["headers"]["Upgrade"];
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    onGatewayClosed: {
        parameters: {
            query?: never;
            header: {
                /** @description W3C Trace Context: of the request that led to the event. */
                traceparent: string;
                /** @description Counts from 1. */
                "webhook-attempt": string;
                /** @description Name of the event stream in the log. */
                "webhook-event-stream"?: string;
                /** @description Id of the event: the same on every attempt. */
                "webhook-id": string;
                /** @description Of the source event in the log. Not on a ping. */
                "webhook-position"?: string;
                /** @description Of the source event within it. */
                "webhook-revision"?: string;
                /** @description Counts the deliveries of the endpoint from 1, without gaps. Not on a ping. */
                "webhook-sequence"?: string;
                /** @description `v1,` and the base64 of the HMAC-SHA256; after a rotation one of each secret, a space between. */
                "webhook-signature": string;
                /** @description Of the attempt, in seconds since the epoch. */
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["StreamGatewayStateWebhook"] & {
                    /** @constant */
                    type?: "gateway.closed";
                };
            };
        };
        responses: {
            /** @description Delivered. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not wanted any more: the endpoint is disabled. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Too much: `Retry-After` slows the endpoint down. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not now: `Retry-After` slows the endpoint down. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed: sent again later. A redirection is not followed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onGatewayConnected: {
        parameters: {
            query?: never;
            header: {
                /** @description W3C Trace Context: of the request that led to the event. */
                traceparent: string;
                /** @description Counts from 1. */
                "webhook-attempt": string;
                /** @description Name of the event stream in the log. */
                "webhook-event-stream"?: string;
                /** @description Id of the event: the same on every attempt. */
                "webhook-id": string;
                /** @description Of the source event in the log. Not on a ping. */
                "webhook-position"?: string;
                /** @description Of the source event within it. */
                "webhook-revision"?: string;
                /** @description Counts the deliveries of the endpoint from 1, without gaps. Not on a ping. */
                "webhook-sequence"?: string;
                /** @description `v1,` and the base64 of the HMAC-SHA256; after a rotation one of each secret, a space between. */
                "webhook-signature": string;
                /** @description Of the attempt, in seconds since the epoch. */
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["StreamGatewayStateWebhook"] & {
                    /** @constant */
                    type?: "gateway.connected";
                };
            };
        };
        responses: {
            /** @description Delivered. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not wanted any more: the endpoint is disabled. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Too much: `Retry-After` slows the endpoint down. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not now: `Retry-After` slows the endpoint down. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed: sent again later. A redirection is not followed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onGatewayDisconnected: {
        parameters: {
            query?: never;
            header: {
                /** @description W3C Trace Context: of the request that led to the event. */
                traceparent: string;
                /** @description Counts from 1. */
                "webhook-attempt": string;
                /** @description Name of the event stream in the log. */
                "webhook-event-stream"?: string;
                /** @description Id of the event: the same on every attempt. */
                "webhook-id": string;
                /** @description Of the source event in the log. Not on a ping. */
                "webhook-position"?: string;
                /** @description Of the source event within it. */
                "webhook-revision"?: string;
                /** @description Counts the deliveries of the endpoint from 1, without gaps. Not on a ping. */
                "webhook-sequence"?: string;
                /** @description `v1,` and the base64 of the HMAC-SHA256; after a rotation one of each secret, a space between. */
                "webhook-signature": string;
                /** @description Of the attempt, in seconds since the epoch. */
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["StreamGatewayStateWebhook"] & {
                    /** @constant */
                    type?: "gateway.disconnected";
                };
            };
        };
        responses: {
            /** @description Delivered. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not wanted any more: the endpoint is disabled. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Too much: `Retry-After` slows the endpoint down. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not now: `Retry-After` slows the endpoint down. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed: sent again later. A redirection is not followed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onGatewayError: {
        parameters: {
            query?: never;
            header: {
                /** @description W3C Trace Context: of the request that led to the event. */
                traceparent: string;
                /** @description Counts from 1. */
                "webhook-attempt": string;
                /** @description Name of the event stream in the log. */
                "webhook-event-stream"?: string;
                /** @description Id of the event: the same on every attempt. */
                "webhook-id": string;
                /** @description Of the source event in the log. Not on a ping. */
                "webhook-position"?: string;
                /** @description Of the source event within it. */
                "webhook-revision"?: string;
                /** @description Counts the deliveries of the endpoint from 1, without gaps. Not on a ping. */
                "webhook-sequence"?: string;
                /** @description `v1,` and the base64 of the HMAC-SHA256; after a rotation one of each secret, a space between. */
                "webhook-signature": string;
                /** @description Of the attempt, in seconds since the epoch. */
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["StreamGatewayStateWebhook"] & {
                    /** @constant */
                    type?: "gateway.error";
                };
            };
        };
        responses: {
            /** @description Delivered. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not wanted any more: the endpoint is disabled. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Too much: `Retry-After` slows the endpoint down. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not now: `Retry-After` slows the endpoint down. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed: sent again later. A redirection is not followed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onGroupCompleted: {
        parameters: {
            query?: never;
            header: {
                /** @description W3C Trace Context: of the request that led to the event. */
                traceparent: string;
                /** @description Counts from 1. */
                "webhook-attempt": string;
                /** @description Name of the event stream in the log. */
                "webhook-event-stream"?: string;
                /** @description Id of the event: the same on every attempt. */
                "webhook-id": string;
                /** @description Of the source event in the log. Not on a ping. */
                "webhook-position"?: string;
                /** @description Of the source event within it. */
                "webhook-revision"?: string;
                /** @description Counts the deliveries of the endpoint from 1, without gaps. Not on a ping. */
                "webhook-sequence"?: string;
                /** @description `v1,` and the base64 of the HMAC-SHA256; after a rotation one of each secret, a space between. */
                "webhook-signature": string;
                /** @description Of the attempt, in seconds since the epoch. */
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["GroupStateChangedWebhook"] & {
                    /** @constant */
                    type?: "group.completed";
                };
            };
        };
        responses: {
            /** @description Delivered. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not wanted any more: the endpoint is disabled. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Too much: `Retry-After` slows the endpoint down. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not now: `Retry-After` slows the endpoint down. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed: sent again later. A redirection is not followed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onGroupCreated: {
        parameters: {
            query?: never;
            header: {
                /** @description W3C Trace Context: of the request that led to the event. */
                traceparent: string;
                /** @description Counts from 1. */
                "webhook-attempt": string;
                /** @description Name of the event stream in the log. */
                "webhook-event-stream"?: string;
                /** @description Id of the event: the same on every attempt. */
                "webhook-id": string;
                /** @description Of the source event in the log. Not on a ping. */
                "webhook-position"?: string;
                /** @description Of the source event within it. */
                "webhook-revision"?: string;
                /** @description Counts the deliveries of the endpoint from 1, without gaps. Not on a ping. */
                "webhook-sequence"?: string;
                /** @description `v1,` and the base64 of the HMAC-SHA256; after a rotation one of each secret, a space between. */
                "webhook-signature": string;
                /** @description Of the attempt, in seconds since the epoch. */
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["GroupStateChangedWebhook"] & {
                    /** @constant */
                    type?: "group.created";
                };
            };
        };
        responses: {
            /** @description Delivered. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not wanted any more: the endpoint is disabled. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Too much: `Retry-After` slows the endpoint down. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not now: `Retry-After` slows the endpoint down. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed: sent again later. A redirection is not followed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onGroupExpired: {
        parameters: {
            query?: never;
            header: {
                /** @description W3C Trace Context: of the request that led to the event. */
                traceparent: string;
                /** @description Counts from 1. */
                "webhook-attempt": string;
                /** @description Name of the event stream in the log. */
                "webhook-event-stream"?: string;
                /** @description Id of the event: the same on every attempt. */
                "webhook-id": string;
                /** @description Of the source event in the log. Not on a ping. */
                "webhook-position"?: string;
                /** @description Of the source event within it. */
                "webhook-revision"?: string;
                /** @description Counts the deliveries of the endpoint from 1, without gaps. Not on a ping. */
                "webhook-sequence"?: string;
                /** @description `v1,` and the base64 of the HMAC-SHA256; after a rotation one of each secret, a space between. */
                "webhook-signature": string;
                /** @description Of the attempt, in seconds since the epoch. */
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["GroupStateChangedWebhook"] & {
                    /** @constant */
                    type?: "group.expired";
                };
            };
        };
        responses: {
            /** @description Delivered. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not wanted any more: the endpoint is disabled. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Too much: `Retry-After` slows the endpoint down. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not now: `Retry-After` slows the endpoint down. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed: sent again later. A redirection is not followed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onGroupFailed: {
        parameters: {
            query?: never;
            header: {
                /** @description W3C Trace Context: of the request that led to the event. */
                traceparent: string;
                /** @description Counts from 1. */
                "webhook-attempt": string;
                /** @description Name of the event stream in the log. */
                "webhook-event-stream"?: string;
                /** @description Id of the event: the same on every attempt. */
                "webhook-id": string;
                /** @description Of the source event in the log. Not on a ping. */
                "webhook-position"?: string;
                /** @description Of the source event within it. */
                "webhook-revision"?: string;
                /** @description Counts the deliveries of the endpoint from 1, without gaps. Not on a ping. */
                "webhook-sequence"?: string;
                /** @description `v1,` and the base64 of the HMAC-SHA256; after a rotation one of each secret, a space between. */
                "webhook-signature": string;
                /** @description Of the attempt, in seconds since the epoch. */
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["GroupStateChangedWebhook"] & {
                    /** @constant */
                    type?: "group.failed";
                };
            };
        };
        responses: {
            /** @description Delivered. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not wanted any more: the endpoint is disabled. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Too much: `Retry-After` slows the endpoint down. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not now: `Retry-After` slows the endpoint down. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed: sent again later. A redirection is not followed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onGroupStreamJoined: {
        parameters: {
            query?: never;
            header: {
                /** @description W3C Trace Context: of the request that led to the event. */
                traceparent: string;
                /** @description Counts from 1. */
                "webhook-attempt": string;
                /** @description Name of the event stream in the log. */
                "webhook-event-stream"?: string;
                /** @description Id of the event: the same on every attempt. */
                "webhook-id": string;
                /** @description Of the source event in the log. Not on a ping. */
                "webhook-position"?: string;
                /** @description Of the source event within it. */
                "webhook-revision"?: string;
                /** @description Counts the deliveries of the endpoint from 1, without gaps. Not on a ping. */
                "webhook-sequence"?: string;
                /** @description `v1,` and the base64 of the HMAC-SHA256; after a rotation one of each secret, a space between. */
                "webhook-signature": string;
                /** @description Of the attempt, in seconds since the epoch. */
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["GroupStreamJoinedWebhook"] & {
                    /** @constant */
                    type?: "group.stream-joined";
                };
            };
        };
        responses: {
            /** @description Delivered. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not wanted any more: the endpoint is disabled. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Too much: `Retry-After` slows the endpoint down. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not now: `Retry-After` slows the endpoint down. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed: sent again later. A redirection is not followed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onPing: {
        parameters: {
            query?: never;
            header: {
                /** @description W3C Trace Context: of the request that led to the event. */
                traceparent: string;
                /** @description Counts from 1. */
                "webhook-attempt": string;
                /** @description Name of the event stream in the log. */
                "webhook-event-stream"?: string;
                /** @description Id of the event: the same on every attempt. */
                "webhook-id": string;
                /** @description Of the source event in the log. Not on a ping. */
                "webhook-position"?: string;
                /** @description Of the source event within it. */
                "webhook-revision"?: string;
                /** @description Counts the deliveries of the endpoint from 1, without gaps. Not on a ping. */
                "webhook-sequence"?: string;
                /** @description `v1,` and the base64 of the HMAC-SHA256; after a rotation one of each secret, a space between. */
                "webhook-signature": string;
                /** @description Of the attempt, in seconds since the epoch. */
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PingWebhook"] & {
                    /** @constant */
                    type?: "ping";
                };
            };
        };
        responses: {
            /** @description Delivered. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not wanted any more: the endpoint is disabled. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Too much: `Retry-After` slows the endpoint down. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not now: `Retry-After` slows the endpoint down. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed: sent again later. A redirection is not followed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onProcessorCompleted: {
        parameters: {
            query?: never;
            header: {
                /** @description W3C Trace Context: of the request that led to the event. */
                traceparent: string;
                /** @description Counts from 1. */
                "webhook-attempt": string;
                /** @description Name of the event stream in the log. */
                "webhook-event-stream"?: string;
                /** @description Id of the event: the same on every attempt. */
                "webhook-id": string;
                /** @description Of the source event in the log. Not on a ping. */
                "webhook-position"?: string;
                /** @description Of the source event within it. */
                "webhook-revision"?: string;
                /** @description Counts the deliveries of the endpoint from 1, without gaps. Not on a ping. */
                "webhook-sequence"?: string;
                /** @description `v1,` and the base64 of the HMAC-SHA256; after a rotation one of each secret, a space between. */
                "webhook-signature": string;
                /** @description Of the attempt, in seconds since the epoch. */
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["StreamProcessorStateWebhook"] & {
                    /** @constant */
                    type?: "processor.completed";
                };
            };
        };
        responses: {
            /** @description Delivered. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not wanted any more: the endpoint is disabled. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Too much: `Retry-After` slows the endpoint down. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not now: `Retry-After` slows the endpoint down. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed: sent again later. A redirection is not followed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onProcessorError: {
        parameters: {
            query?: never;
            header: {
                /** @description W3C Trace Context: of the request that led to the event. */
                traceparent: string;
                /** @description Counts from 1. */
                "webhook-attempt": string;
                /** @description Name of the event stream in the log. */
                "webhook-event-stream"?: string;
                /** @description Id of the event: the same on every attempt. */
                "webhook-id": string;
                /** @description Of the source event in the log. Not on a ping. */
                "webhook-position"?: string;
                /** @description Of the source event within it. */
                "webhook-revision"?: string;
                /** @description Counts the deliveries of the endpoint from 1, without gaps. Not on a ping. */
                "webhook-sequence"?: string;
                /** @description `v1,` and the base64 of the HMAC-SHA256; after a rotation one of each secret, a space between. */
                "webhook-signature": string;
                /** @description Of the attempt, in seconds since the epoch. */
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["StreamProcessorStateWebhook"] & {
                    /** @constant */
                    type?: "processor.error";
                };
            };
        };
        responses: {
            /** @description Delivered. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not wanted any more: the endpoint is disabled. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Too much: `Retry-After` slows the endpoint down. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not now: `Retry-After` slows the endpoint down. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed: sent again later. A redirection is not followed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onProcessorRunning: {
        parameters: {
            query?: never;
            header: {
                /** @description W3C Trace Context: of the request that led to the event. */
                traceparent: string;
                /** @description Counts from 1. */
                "webhook-attempt": string;
                /** @description Name of the event stream in the log. */
                "webhook-event-stream"?: string;
                /** @description Id of the event: the same on every attempt. */
                "webhook-id": string;
                /** @description Of the source event in the log. Not on a ping. */
                "webhook-position"?: string;
                /** @description Of the source event within it. */
                "webhook-revision"?: string;
                /** @description Counts the deliveries of the endpoint from 1, without gaps. Not on a ping. */
                "webhook-sequence"?: string;
                /** @description `v1,` and the base64 of the HMAC-SHA256; after a rotation one of each secret, a space between. */
                "webhook-signature": string;
                /** @description Of the attempt, in seconds since the epoch. */
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["StreamProcessorStateWebhook"] & {
                    /** @constant */
                    type?: "processor.running";
                };
            };
        };
        responses: {
            /** @description Delivered. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not wanted any more: the endpoint is disabled. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Too much: `Retry-After` slows the endpoint down. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not now: `Retry-After` slows the endpoint down. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed: sent again later. A redirection is not followed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onStreamCompleted: {
        parameters: {
            query?: never;
            header: {
                /** @description W3C Trace Context: of the request that led to the event. */
                traceparent: string;
                /** @description Counts from 1. */
                "webhook-attempt": string;
                /** @description Name of the event stream in the log. */
                "webhook-event-stream"?: string;
                /** @description Id of the event: the same on every attempt. */
                "webhook-id": string;
                /** @description Of the source event in the log. Not on a ping. */
                "webhook-position"?: string;
                /** @description Of the source event within it. */
                "webhook-revision"?: string;
                /** @description Counts the deliveries of the endpoint from 1, without gaps. Not on a ping. */
                "webhook-sequence"?: string;
                /** @description `v1,` and the base64 of the HMAC-SHA256; after a rotation one of each secret, a space between. */
                "webhook-signature": string;
                /** @description Of the attempt, in seconds since the epoch. */
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["StreamStateWebhook"] & {
                    /** @constant */
                    type?: "stream.completed";
                };
            };
        };
        responses: {
            /** @description Delivered. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not wanted any more: the endpoint is disabled. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Too much: `Retry-After` slows the endpoint down. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not now: `Retry-After` slows the endpoint down. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed: sent again later. A redirection is not followed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onStreamExpired: {
        parameters: {
            query?: never;
            header: {
                /** @description W3C Trace Context: of the request that led to the event. */
                traceparent: string;
                /** @description Counts from 1. */
                "webhook-attempt": string;
                /** @description Name of the event stream in the log. */
                "webhook-event-stream"?: string;
                /** @description Id of the event: the same on every attempt. */
                "webhook-id": string;
                /** @description Of the source event in the log. Not on a ping. */
                "webhook-position"?: string;
                /** @description Of the source event within it. */
                "webhook-revision"?: string;
                /** @description Counts the deliveries of the endpoint from 1, without gaps. Not on a ping. */
                "webhook-sequence"?: string;
                /** @description `v1,` and the base64 of the HMAC-SHA256; after a rotation one of each secret, a space between. */
                "webhook-signature": string;
                /** @description Of the attempt, in seconds since the epoch. */
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["StreamStateWebhook"] & {
                    /** @constant */
                    type?: "stream.expired";
                };
            };
        };
        responses: {
            /** @description Delivered. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not wanted any more: the endpoint is disabled. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Too much: `Retry-After` slows the endpoint down. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not now: `Retry-After` slows the endpoint down. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed: sent again later. A redirection is not followed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onStreamFailed: {
        parameters: {
            query?: never;
            header: {
                /** @description W3C Trace Context: of the request that led to the event. */
                traceparent: string;
                /** @description Counts from 1. */
                "webhook-attempt": string;
                /** @description Name of the event stream in the log. */
                "webhook-event-stream"?: string;
                /** @description Id of the event: the same on every attempt. */
                "webhook-id": string;
                /** @description Of the source event in the log. Not on a ping. */
                "webhook-position"?: string;
                /** @description Of the source event within it. */
                "webhook-revision"?: string;
                /** @description Counts the deliveries of the endpoint from 1, without gaps. Not on a ping. */
                "webhook-sequence"?: string;
                /** @description `v1,` and the base64 of the HMAC-SHA256; after a rotation one of each secret, a space between. */
                "webhook-signature": string;
                /** @description Of the attempt, in seconds since the epoch. */
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["StreamStateWebhook"] & {
                    /** @constant */
                    type?: "stream.failed";
                };
            };
        };
        responses: {
            /** @description Delivered. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not wanted any more: the endpoint is disabled. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Too much: `Retry-After` slows the endpoint down. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not now: `Retry-After` slows the endpoint down. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed: sent again later. A redirection is not followed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onStreamReady: {
        parameters: {
            query?: never;
            header: {
                /** @description W3C Trace Context: of the request that led to the event. */
                traceparent: string;
                /** @description Counts from 1. */
                "webhook-attempt": string;
                /** @description Name of the event stream in the log. */
                "webhook-event-stream"?: string;
                /** @description Id of the event: the same on every attempt. */
                "webhook-id": string;
                /** @description Of the source event in the log. Not on a ping. */
                "webhook-position"?: string;
                /** @description Of the source event within it. */
                "webhook-revision"?: string;
                /** @description Counts the deliveries of the endpoint from 1, without gaps. Not on a ping. */
                "webhook-sequence"?: string;
                /** @description `v1,` and the base64 of the HMAC-SHA256; after a rotation one of each secret, a space between. */
                "webhook-signature": string;
                /** @description Of the attempt, in seconds since the epoch. */
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["StreamStateWebhook"] & {
                    /** @constant */
                    type?: "stream.ready";
                };
            };
        };
        responses: {
            /** @description Delivered. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not wanted any more: the endpoint is disabled. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Too much: `Retry-After` slows the endpoint down. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not now: `Retry-After` slows the endpoint down. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed: sent again later. A redirection is not followed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
}
