/**
 * Made by openapi-typescript: `npm run client` makes it anew.
 * API document 28b7b7eeb6e4ca260a161fff6473a928798e6eec651cc1c16aa9645635aa1c93
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
         * @description The messages in both directions. `/docs` is the readable form.
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
         * Returns the state of an event stream at a revision or a time.
         * @description Folds every event up to that point. Erased personal members read as null.
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
    "/audit-service/api/v1/event-types": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the categories of event streams with their event types.
         * @description For the filters `category` and `type` of the events. Reads nothing of the log, so it is not recorded.
         *
         *     Needs one of the roles: auditor, admin.
         */
        get: operations["findEventTypes"];
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
         * Lists the events of the log, newest first by default. As NDJSON, streams all of them.
         * @description To page, send the `next` of a page as `after`. Every read is recorded in the log.
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
         * @description Every read is recorded in the log.
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
    "/audit-service/api/v1/seals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Exports the public keys and all seals, to verify a copy of the log elsewhere.
         * @description Export the seals before the log. `tributary audit verify --file log.ndjson --seals seals.ndjson` checks both without the server.
         *
         *     Needs one of the roles: auditor, admin.
         */
        get: operations["exportSeals"];
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
         * Erases a person: destroys their keys, credentials, documents and bytes. The log still verifies.
         * @description Cancels their running streams, drops their pending deliveries and revokes their credentials. This cannot be undone.
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
         * Verifies the hash chains and seals of the whole log or of one event stream.
         * @description Hashes every event again, so a long log takes a while.
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
         * Lists active credentials, newest first: your own and those you issued, those of `subject`, or all.
         * @description Secrets are never listed. Revoked credentials are omitted. Needs the role admin; people who are signed in to the dashboard may do this for their own credentials.
         */
        get: operations["listCredentials"];
        put?: never;
        /**
         * Issues a client with a secret, or an API key. The secret is shown only in this answer.
         * @description Without `subject`, the platform makes a new subject for an administrator: a new user who owns nothing yet. Store the secret; it cannot be shown again. Needs the role admin; people who are signed in to the dashboard may do this for their own credentials. Their keys have their own role, or the role user.
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
         * Returns one credential, without its secret.
         * @description A revoked credential is 404.
         */
        get: operations["getCredential"];
        put?: never;
        post?: never;
        /**
         * Revokes a credential and every token made with it.
         * @description Takes effect within one second on every node.
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
         * Replaces the secret. The old secret and every token made with it stop working.
         * @description The old secret stops working at once, so give the new one to its user right away.
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
         * Returns the caller.
         * @description The caller's subject and roles. For a credential of this platform also its details, without the secret.
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
    "/credential-service/api/v1/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists where you are signed in to the dashboard, newest first.
         * @description A session ends 12 hours after its last use.
         */
        get: operations["listSessions"];
        put?: never;
        post?: never;
        /**
         * Signs you out everywhere.
         * @description Ends all your sessions, this one included, within one second on every node. API keys stay valid.
         */
        delete: operations["endSessions"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/credential-service/api/v1/sessions/{sessionId}": {
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
         * Signs you out of one session.
         * @description Takes effect within one second on every node. Unknown and ended sessions are 404.
         */
        delete: operations["endSession"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/credential-service/api/v1/users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists people who signed in and owners of credentials, newest first.
         * @description A person who is linked to an owner is listed in the place of that owner.
         *
         *     Needs one of the roles: admin.
         */
        get: operations["listUsers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/credential-service/api/v1/users/{userId}": {
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
         * Changes a person's role, disables or enables them, or links them to an owner.
         * @description Absent members stay as they are. Owners who never signed in are 404: their credentials have the roles. So is a subject without streams, credentials and person.
         *
         *     Needs one of the roles: admin.
         */
        patch: operations["changeUser"];
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
         * The API documents as web pages.
         * @description A viewer of `/openapi.json` that can send requests, with links to the WebSocket messages, the guides, and a search.
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
         * Streams the sink messages of one or more streams while they run.
         * @description You can attach before, during or after the upload. You get all messages kept so far, then new ones as they arrive, until the streams end. One read follows at most 1,000 sinks. After a lost connection, continue with `resume`.
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
         * Exports the results of one or more streams as a file. Waits until the streams have ended.
         * @description Name the streams or a group. `tags` choose the sinks. EVENTS is NDJSON of their messages; SRT and VTT are captions of transcriptions; DOCX, MD and CSV are transcripts; ZIP has a folder of files for each stream. Only persistent sinks are exported: upload with `persist=true`. If the streams do not exist after `timeout`, the answer is 404.
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
    "/export-service/api/v1/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Searches the words of your kept streams: transcripts, summaries, answers, texts and names.
         * @description The most relevant streams come first, then the newest. Finds at most 10000 streams. Results are searched when their stream has ended, until they are deleted.
         */
        get: operations["searchStreams"];
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
         * Liveness: the process answers.
         * @description Does not use the stores.
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
         * Readiness: whether requests can be served, and if not, why.
         * @description For load balancers: 503 while the server should not get requests.
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
    "/http-gateway/api/v1/tus": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Begins a resumable upload, for clients of tus 1.0.
         * @description The parameters are those of `upload`, in the query or as keys of `Upload-Metadata`; there `filename` or `name` is the name of the file, and `filetype` and `type` are ignored. Everything that needs no bytes is checked here, and the place of a running stream is taken. A body of `application/offset+octet-stream` is the first bytes.
         *
         *     The stream is created when the last byte is durable. Its id is in `Tributary-Stream-Id`. A repeated creation with the same `Idempotency-Key` continues the same upload.
         */
        post: operations["createResumableUpload"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/http-gateway/api/v1/tus/{uploadId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * How many bytes of a resumable upload have arrived.
         * @description tus clients send HEAD, which answers with the headers only. It ends a running request of the same upload.
         */
        get: operations["getResumableUpload"];
        put?: never;
        /**
         * PATCH, HEAD or DELETE, for clients that can send only POST.
         * @description `X-HTTP-Method-Override` names the method.
         */
        post: operations["overrideResumableUpload"];
        /**
         * Gives up a resumable upload and deletes its bytes.
         * @description Frees its place among the running streams. A complete upload is a stream: cancel or delete that.
         */
        delete: operations["deleteResumableUpload"];
        options?: never;
        head?: never;
        /**
         * Sends further bytes of a resumable upload.
         * @description What has arrived stays when the connection breaks. With the last byte the stream is created, and then answered.
         */
        patch: operations["continueResumableUpload"];
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
         * Uploads bytes, or a link to them, and creates a stream. Undocumented query parameters patch the template.
         * @description Send the bytes with any content type except multipart, or `multipart/form-data` with the file as its last part; before it may come one JSON configuration part, and ordinary fields, which are parameters like those of the query. If the template takes media, you can send one http(s) URL as text; the platform fetches it.
         *
         *     Every query parameter that is not documented patches the template, such as `summary=true`: `v` replaces, `+v` adds and `-` removes. The prefix `patches.` marks a patch explicitly. `webhook[.RESOURCE[.STATE]]=<url>` is a dynamic webhook, at most 3 URLs. `redact=email,phone,...` joins redaction to a built-in chain that transcribes; `redactPatterns`, `redactRegion` and `keepMedia` refine it. `vocabulary=@name` takes a saved vocabulary.
         *
         *     Everything that does not need the body is checked before the body is read. The answer is sent when all bytes are durable. A link is answered after it has been fetched.
         */
        post: operations["upload"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/mcp": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The Model Context Protocol over streamable HTTP, without sessions.
         * @description Tools and resources for language models: transcribe a recording, list, search, read and share transcripts, ask about them.
         */
        post: operations["sendMcpMessage"];
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
         * Metrics of this node for Prometheus.
         * @description Names begin with `tributary_`, beside `process_` and `nodejs_`. Without a credential for programs on the same machine, while HOST is a loopback address and no proxy forwards the request. Otherwise for admins and auditors.
         *
         *     Needs one of the roles: admin, auditor.
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
         * @description At most 20 of one user. With `subject=*`, at most 1,000 of all users.
         */
        get: operations["findAllWebhookEndpoints"];
        /**
         * Creates an endpoint, or replaces the one with the id in the body.
         * @description Without an `id` a new one; with one, the whole endpoint is replaced: an absent `enabled` is true; absent `payload`, `headers`, `filter` and `retryWindow` keep the present ones. An `id` that is not the caller's is 403, whether it exists or not. A URL, header, filter or `retryWindow` that is not acceptable and an unknown event type are WEBHOOK_CONFIGURATION_ERROR, and so is `audit.sealed` unless the caller is an administrator or auditor.
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
         * Returns a webhook endpoint.
         * @description Use the ETag of the answer for If-Match.
         */
        get: operations["findWebhookEndpointById"];
        put?: never;
        post?: never;
        /**
         * Deletes an endpoint. Its pending deliveries stop.
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
         * An endpoint's deliveries, newest first, with their attempts.
         * @description Each delivery with its newest 100 attempts. The receiver's answers are kept for 7 days.
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
    "/notification-service/api/v1/webhook-endpoints/{id}/deliveries/{deliveryId}/payload": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The body of a delivery, exactly as every attempt sends it.
         * @description Made again from the event log, so the signature of an attempt can be checked against it.
         */
        get: operations["findWebhookDeliveryPayload"];
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
         * Sends an ended delivery once more, in one attempt with the same bytes.
         * @description Works for every ended delivery, also of a disabled endpoint. Attempt numbers continue. Waits until the read models have caught up. After 10 s it answers 503, and is carried out later if they catch up within an hour.
         */
        post: operations["resendWebhookDelivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/notification-service/api/v1/webhook-endpoints/{id}/deliveries/{deliveryId}/send-now": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Makes the next attempt of a pending delivery at once, also to an endpoint that is held.
         * @description Further retries follow as scheduled.
         */
        post: operations["sendWebhookDeliveryNow"];
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
         * Enables or disables an endpoint. A disabled endpoint receives nothing, and its pending deliveries stop.
         * @description Enabling does not resume deliveries that were pending; `recoverWebhookDeliveries` does. An unknown endpoint is 403.
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
         * Schedules every event the endpoint has missed since a time or after a log position. Idempotent: repeating it schedules nothing twice.
         * @description Covers events that match the current filter and that failed, were exhausted, or were never scheduled, including events older than the endpoint. They are sent stream by stream. Waits until the read models have caught up. After 10 s it answers 503, and is carried out later if they catch up within an hour.
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
         * @description Verify incoming webhooks with it. Standard Webhooks libraries accept it as is.
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
         * Replaces the secret of an endpoint. The old one also signs for 24 hours.
         * @description Both secrets sign for 24 hours, so you can update receivers without losing events.
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
         * Sends one `ping` in one attempt, also to a disabled endpoint.
         * @description The delivery shows the receiver's answer.
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
         * @description All dynamic webhooks of a user are signed with this secret.
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
         * @description Each delivery with its URL.
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
         * Lists the event types that an endpoint can receive.
         * @description Needs no credential. With the credential of an administrator or auditor the list also has `audit.sealed`. A wrong credential is ignored.
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
         * @description The HTTP interface and the webhooks that the platform sends. `/docs` is the readable form.
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
    "/operations-service/api/v1/advice": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists what most installations need and this one lacks.
         * @description Empty when nothing essential is missing.
         *
         *     Needs one of the roles: admin.
         */
        get: operations["findSetupAdvice"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operations-service/api/v1/engines": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the speech engines and language models of the node that answers, with their state.
         * @description `ready`: installed, or its server answers. Looked at once in ten seconds at most.
         *
         *     Needs one of the roles: admin.
         */
        get: operations["findEngines"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operations-service/api/v1/kept-results": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Disk space of kept results by user, and the next deletions.
         * @description Bytes of the uploads and results of streams that have not expired. Unfinished uploads do not count. `dueStreams` looks at the next 500 deletions of each kind.
         *
         *     Needs one of the roles: admin.
         */
        get: operations["findKeptResults"];
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
         * Lists the leases: work that one node at a time does, and which node does it.
         * @description Each with its epoch, which fences writes of a former holder.
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
    "/operations-service/api/v1/nodes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the nodes that share the stores.
         * @description One in the embedded form. A node that died is listed until its work has been cleared up.
         *
         *     Needs one of the roles: admin.
         */
        get: operations["findNodes"];
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
         * Lists the delivery partitions with the nodes that hold them.
         * @description A partition without a holder is not listed.
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
         * Lists the read models with their progress and any rebuild.
         * @description `lagEvents` and `lagSeconds` say how far each read model is behind the log. `lagEvents` is exact up to 20 and estimated above.
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
         * Rebuilds a read model, or `all`. The new build takes over when it has caught up.
         * @description The old build is served until then.
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
         * Lists the stores and whether they answer.
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
    "/operations-service/api/v1/system": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Version, disk, queues and last backup of the node that answers.
         * @description Queues are those of this node; `/metrics` has them for monitoring.
         *
         *     Needs one of the roles: admin.
         */
        get: operations["getSystem"];
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
         * Returns the OpenID Connect discovery document.
         * @description Clients find the token endpoint and its keys here.
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
         * Returns the public keys that verify the platform's access tokens (JWKS).
         * @description For services that verify access tokens themselves. Keys rotate with an overlap. Fetch them again when you see an unknown `kid`.
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
         * Exchanges client credentials for an access token (RFC 6749, section 4.4).
         * @description Send `grant_type=client_credentials` with the client id and secret in the form or as HTTP Basic. If both are sent and differ, the answer is 400. The token is valid for 10 minutes. Send it as `Authorization: Bearer`.
         */
        post: operations["exchangeToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sign-in/link": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Signs in to the dashboard with a link from `tributary link`.
         * @description A link works once, for 15 minutes. The answer sets the cookie of a session.
         */
        post: operations["useSignInLink"];
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
         * Lists the processors that your templates can use: your own, shared and built-in ones.
         * @description `propertiesJsonSchema` describes the properties of the processor. Your own processors come first, newest first.
         */
        get: operations["findAllProcessorDeclarations"];
        /**
         * Declares a processor of your own, or its next version.
         * @description Each run is one signed `POST` to the URL. A stream keeps the version that it started with. Defaults: 3 attempts, 600000 ms. The secret is shown once, in the answer that creates the declaration.
         */
        put: operations["saveProcessorDeclaration"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/stream-configuration-service/api/v1/processor-declarations/{declarationId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Returns a processor declaration in its newest or an earlier version.
         * @description Every version stays readable. The secret is never shown again.
         */
        get: operations["findProcessorDeclaration"];
        put?: never;
        post?: never;
        /**
         * Deletes a processor declaration.
         * @description Templates that name it stay readable; uploads with them are refused with 409. Streams that started with it still end.
         */
        delete: operations["deleteProcessorDeclaration"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/stream-configuration-service/api/v1/processor-declarations/{declarationId}/secret/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replaces the secret of a processor.
         * @description The new and the previous secret both sign requests for 24 hours.
         */
        post: operations["rotateProcessorSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/stream-configuration-service/api/v1/processor-declarations/{declarationId}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Runs a processor once, outside any stream.
         * @description Answers with the output, or with the error that a run would have. `requests` lists every request that was made. A test takes a place of the processor (`limits.concurrency`) and may wait for it. It may send 1 MiB of output. The properties have at most 64 KiB (`TEMPLATE_MAX_BYTES`). 429 if you have two tests in progress.
         */
        post: operations["testProcessor"];
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
         * Lists the templates the caller can use: built-in ones, their own and overlays. Newest first, then by id.
         * @description Administrators can list the templates of another subject with `subject`.
         */
        get: operations["findAllTemplates"];
        /**
         * Creates a template, or replaces your template with the given id.
         * @description What GET gave can be sent back: members that only the platform sets are ignored. A template that cannot run is refused with what is wrong where. An id that is unknown or another's is 403, and so is a built-in one without `scope`.
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
         * Returns a template in its newest or an earlier version.
         * @description Every version stays readable. Use the ETag of the answer for If-Match. With patches in a header, returns the template as an upload with them would use it, without an ETag.
         */
        get: operations["findTemplateById"];
        put?: never;
        post?: never;
        /**
         * Deletes your template. Deleting an overlay restores the built-in template.
         * @description A built-in template cannot be deleted (403). With `scope=builtin`, an administrator restores the shipped content of a built-in template, as its next version.
         */
        delete: operations["deleteTemplate"];
        options?: never;
        head?: never;
        /**
         * Patches a template. Patching a built-in template creates a private overlay under the same id.
         * @description Only `add`, `replace` and `remove`, and only inside a processor's `properties`. A path is `/a/b/c`, `a.b.c` or an alias; a processor is named by its index or its id. With `scope=builtin`, an administrator patches the built-in template for everybody.
         */
        patch: operations["patchTemplate"];
        trace?: never;
    };
    "/stream-configuration-service/api/v1/vocabularies": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Your vocabularies by name.
         * @description At most 100.
         */
        get: operations["findVocabularies"];
        /**
         * Saves a vocabulary, a new one or the next content of yours.
         * @description At most 32768 bytes of JSON. An upload takes it with `vocabulary=@name`. Streams keep the content with which they began.
         */
        put: operations["saveVocabulary"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/stream-configuration-service/api/v1/vocabularies/{vocabularyId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Returns a vocabulary.
         * @description Only your own.
         */
        get: operations["getVocabulary"];
        put?: never;
        post?: never;
        /**
         * Deletes a vocabulary.
         * @description Streams that have begun with it keep its content. Uploads and templates that name it answer 404.
         */
        delete: operations["deleteVocabulary"];
        options?: never;
        head?: never;
        patch?: never;
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
         * Returns a group.
         * @description The first stream that names a group creates it. A group completes when all its streams have completed.
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
    "/stream-service/api/v1/labels": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Your labels, most used first.
         * @description Each with the number of your streams that have it.
         */
        get: operations["findLabels"];
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
         * @description Returns an empty page if nothing matches.
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
         * @description Poll until the state is COMPLETED or FAILED, or use a webhook. EXPIRED streams keep their events but not their data.
         */
        get: operations["findStream"];
        put?: never;
        post?: never;
        /**
         * Deletes the data of a stream at once. A running stream is canceled first. The stream becomes EXPIRED; its events stay.
         * @description Idempotent: repeating it also returns 204.
         */
        delete: operations["deleteStream"];
        options?: never;
        head?: never;
        /**
         * Renames or labels a stream. For its owner or an admin.
         * @description Works in every state. `labels` replaces all labels; absent members stay. Former names and labels stay in the log. Sends no webhook.
         */
        patch: operations["renameStream"];
        trace?: never;
    };
    "/stream-service/api/v1/streams/{streamId}/attempts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the attempts of a stream with the timeline of their stages, newest first.
         * @description For each stage of each attempt: state, times, tries, waits for its engine, sizes, engine and model, error with advice, and cost. Attempt 1 is the upload, each rerun adds one. Poll with `If-None-Match` while the stream is READY.
         */
        get: operations["findStreamAttempts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/stream-service/api/v1/streams/{streamId}/attempts/{attempt}/stages/{processorId}/input": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Downloads the input of a stage while it is kept.
         * @description Bytes and text as they are, messages as NDJSON, one a line. While the stage runs, you get what is there so far. 404 when the data are no longer kept, 410 when redaction has deleted them.
         */
        get: operations["readStageInput"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/stream-service/api/v1/streams/{streamId}/attempts/{attempt}/stages/{processorId}/output": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Downloads the output of a stage while it is kept.
         * @description Bytes and text as they are, messages as NDJSON, one a line. While the stage runs, you get what is there so far. 404 when the data are no longer kept, 410 when redaction has deleted them.
         */
        get: operations["readStageOutput"];
        put?: never;
        post?: never;
        delete?: never;
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
         * Cancels a stream. For its owner, a gateway or an admin.
         * @description Aborts running processors. The stream becomes FAILED with `Canceled by user`. A stream that is already FAILED is returned unchanged.
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
         * Returns the state of a stream's gateway and processors.
         * @description The state of the gateway and of each processor, with its description.
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
         * Downloads the uploaded bytes while they are kept.
         * @description The content type of recordings is detected from their first bytes. `Range` returns a part. `Content-Disposition` has the name of the uploaded file. 404 if the upload did not finish or the stream has expired.
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
         * Lists the events of a stream in order.
         * @description The events as in the log, upcast to the newest version of their schema. A stream has few events: two or three per processor.
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
    "/stream-service/api/v1/streams/{streamId}/rerun": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Returns the stages that a rerun of the stream could begin with.
         * @description The whole chain comes first, then each stage with the reason if it cannot be the start. Only for the owner.
         */
        get: operations["findRerunOptions"];
        put?: never;
        /**
         * Runs an ended stream again, from a stage or from its start.
         * @description The stages before `from` are not run again; their outputs are read. `from` and every stage behind it run as a new attempt. Results of earlier attempts stay readable with `?attempt=`. Only the owner may rerun a stream.
         */
        post: operations["rerunStream"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/stream-service/api/v1/streams/{streamId}/retention": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Returns when the data of a stream are deleted.
         * @description Events are kept; the uploaded bytes and the results are deleted.
         */
        get: operations["findStreamRetention"];
        /**
         * Sets when the data of a stream are deleted. Only for its owner.
         * @description Up to `RETENTION_MAX_S` after the end of the stream, if the server has such a bound. Sends no webhook.
         */
        put: operations["setStreamRetention"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/stream-service/api/v1/streams/{streamId}/shares": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The links to a stream, oldest first. For its owner or an admin.
         * @description Without the links themselves, which are shown only once. Revoked ones are left out.
         */
        get: operations["findShares"];
        put?: never;
        /**
         * Makes a link to the transcript. For its owner or an admin.
         * @description Anyone who has the link can read the transcript, play the recording and download both, without signing in. The link is shown only once.
         */
        post: operations["shareStream"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/stream-service/api/v1/streams/{streamId}/shares/{shareId}": {
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
         * Revokes a link. For the owner of the stream or an admin.
         * @description Its page is gone at once.
         */
        delete: operations["revokeShare"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/stream-service/api/v1/streams/{streamId}/transcript": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The transcript of a stream with its corrections.
         * @description Made from the last transcription of the chain. Without parameters, the newest revision of the newest attempt that made one. 404 for a stream without a transcription.
         */
        get: operations["findTranscript"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Corrects the transcript. For its owner or an admin.
         * @description Applies the edits in order, all or none, to the newest revision, whose ETag `If-Match` names. Makes the next revision, unless nothing changes. A wrong edit is 400, and the message names it. `replace` and `join` look through the whole transcript: the longer it is, the fewer one request may have, at least 10.
         */
        patch: operations["editTranscript"];
        trace?: never;
    };
    "/stream-service/api/v1/streams/{streamId}/transcript/edits": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The edits of a transcript, newest first.
         * @description Once the data of the stream are deleted, their words are gone too: `edits` is null.
         */
        get: operations["findTranscriptEdits"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/stream-service/api/v1/streams/{streamId}/transcript/undo": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Takes back the newest edit that is not undone. For its owner or an admin.
         * @description Makes the next revision, with the content before that edit. Repeat it to take back earlier edits.
         */
        post: operations["undoTranscriptEdit"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/stream-service/api/v1/streams/labels": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Adds and removes labels of many streams.
         * @description Applies to your own streams only, at most 10000 at once. If one of them would have more than 20 labels, none is changed.
         */
        post: operations["labelStreams"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/stream-service/api/v1/streams/rerun": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists your bulk reruns with their progress, newest first.
         * @description All that are under way, and the newest 1,000.
         */
        get: operations["findBulkReruns"];
        put?: never;
        /**
         * Runs all ended streams that match a filter again.
         * @description Applies to your own streams only. `started` streams are queued: they start one after the other as your limit of concurrent streams allows, also after a restart of the server. It is smaller than `matched` if streams wait already or if more than 10000 would wait; the oldest are queued first. With `dryRun` nothing is queued.
         */
        post: operations["rerunStreams"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/stream-service/api/v1/streams/rerun/{requestId}": {
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
         * Stops a bulk rerun.
         * @description Streams that still wait are not started. Streams that have started continue. Idempotent: repeating it also returns 204.
         */
        delete: operations["cancelBulkRerun"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/stream-service/api/v1/streams/retention": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Sets when the data of many streams are deleted.
         * @description Applies to your own streams only, at most 10000 at once. Streams that have expired stay as they are.
         */
        put: operations["setStreamsRetention"];
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
         * Reports usage and cost of an interval: in total, by period, by operation type and by template.
         * @description The interval covers 1 to 1,000 periods of the granularity. A run counts in the period in which it ended.
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
         * Returns the usage of each processor of a stream, with its cost.
         * @description While a processor runs, its usage so far. `finalUsage` is true once it has ended. Prices are those at the time of use.
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
    "/v1/audio/transcriptions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Transcribes a recording.
         * @description The form of OpenAI, its parts in any order; unknown fields are ignored. Lists may be `x[]`, `x[0]`, a repeated `x`, or values with commas. The recording becomes an ordinary stream, which the header `x-stream-id` names, and the answer comes at its end. A client that hangs up cancels the stream.
         */
        post: operations["createTranscription"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/audio/translations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Translates a recording into English.
         * @description The form of OpenAI, its parts in any order; unknown fields are ignored. Lists may be `x[]`, `x[0]`, a repeated `x`, or values with commas. The recording becomes an ordinary stream, which the header `x-stream-id` names, and the answer comes at its end. A client that hangs up cancels the stream.
         */
        post: operations["createTranslation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/models": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The models that this server can run now.
         * @description Each is a template that transcribes, under a name that `model` accepts: OpenAI's names first, then the names of templates.
         */
        get: operations["listModels"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/models/{model}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One model.
         * @description 404 for a model that this server cannot run now, and 400 for a name of several templates.
         */
        get: operations["retrieveModel"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/realtime": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Realtime transcription over a WebSocket.
         * @description Messages of the transcription sessions of OpenAI's realtime API, in their newer and older forms. A session is one stream of the real-time template. Send the key as `Authorization: Bearer`, or as the subprotocol `openai-insecure-api-key.<key>` beside `realtime`. A request without an upgrade is 426.
         */
        get: operations["openRealtime"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/realtime/client_secrets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Creates a short-lived secret for realtime sessions.
         * @description A client that connects with it acts as the caller, in realtime sessions only. Its sessions begin with the settings of `session`.
         */
        post: operations["createRealtimeClientSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/realtime/transcription_sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Creates a short-lived secret for realtime sessions, in the older form.
         * @description The body has the settings of the session. The answer has the secret in `client_secret`.
         */
        post: operations["createRealtimeTranscriptionSession"];
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
         * The WebSocket gateway. It takes the query parameters of an upload.
         * @description `/asyncapi.json` describes the messages. A request without an upgrade is 426. A message above SOCKET_MESSAGE_MAX_BYTES (16 MiB) closes with 1009, more than SOCKET_CONTROL_MESSAGES (100) KEEP_ALIVE, CONFIGURATION and ping messages in 10 seconds with 1008. A client that sends faster than its data are stored is read more slowly. If what your sockets and requests hold exceeds MEMORY_PER_USER_MIB, the session ends with an ERROR.
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
}
export interface webhooks {
    "audit.sealed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A seal was appended to the event log. For administrators and auditors; no wildcard includes it.
         * @description Sent at least once, in no particular order, until it is answered with 2xx: for three hours unless the operator or its endpoint set another time, with growing delays between the attempts. Signed as Standard Webhooks has it: verify the signature over `webhook-id.webhook-timestamp.body`, and leave out an id that was handled before.
         */
        post: operations["onAuditSealed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "endpoint.disabled": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The server has disabled another endpoint of the owner.
         * @description Sent at least once, in no particular order, until it is answered with 2xx: for three hours unless the operator or its endpoint set another time, with growing delays between the attempts. Signed as Standard Webhooks has it: verify the signature over `webhook-id.webhook-timestamp.body`, and leave out an id that was handled before.
         */
        post: operations["onEndpointDisabled"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "endpoint.failing": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Another endpoint of the owner fails: five attempts in a row, over at least a minute. Like the other alerts, no wildcard includes it, and the endpoint itself does not get it.
         * @description Sent at least once, in no particular order, until it is answered with 2xx: for three hours unless the operator or its endpoint set another time, with growing delays between the attempts. Signed as Standard Webhooks has it: verify the signature over `webhook-id.webhook-timestamp.body`, and leave out an id that was handled before.
         */
        post: operations["onEndpointFailing"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "endpoint.recovered": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Another endpoint of the owner works again, after `endpoint.failing`.
         * @description Sent at least once, in no particular order, until it is answered with 2xx: for three hours unless the operator or its endpoint set another time, with growing delays between the attempts. Signed as Standard Webhooks has it: verify the signature over `webhook-id.webhook-timestamp.body`, and leave out an id that was handled before.
         */
        post: operations["onEndpointRecovered"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
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
         * The gateway of a stream closed permanently.
         * @description Sent at least once, in no particular order, until it is answered with 2xx: for three hours unless the operator or its endpoint set another time, with growing delays between the attempts. Signed as Standard Webhooks has it: verify the signature over `webhook-id.webhook-timestamp.body`, and leave out an id that was handled before.
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
         * @description Sent at least once, in no particular order, until it is answered with 2xx: for three hours unless the operator or its endpoint set another time, with growing delays between the attempts. Signed as Standard Webhooks has it: verify the signature over `webhook-id.webhook-timestamp.body`, and leave out an id that was handled before.
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
         * @description Sent at least once, in no particular order, until it is answered with 2xx: for three hours unless the operator or its endpoint set another time, with growing delays between the attempts. Signed as Standard Webhooks has it: verify the signature over `webhook-id.webhook-timestamp.body`, and leave out an id that was handled before.
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
         * The gateway of a stream closed permanently because of an error.
         * @description Sent at least once, in no particular order, until it is answered with 2xx: for three hours unless the operator or its endpoint set another time, with growing delays between the attempts. Signed as Standard Webhooks has it: verify the signature over `webhook-id.webhook-timestamp.body`, and leave out an id that was handled before.
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
         * All streams of a group completed. Sent again when a new stream joins and completes.
         * @description Sent at least once, in no particular order, until it is answered with 2xx: for three hours unless the operator or its endpoint set another time, with growing delays between the attempts. Signed as Standard Webhooks has it: verify the signature over `webhook-id.webhook-timestamp.body`, and leave out an id that was handled before.
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
         * @description Sent at least once, in no particular order, until it is answered with 2xx: for three hours unless the operator or its endpoint set another time, with growing delays between the attempts. Signed as Standard Webhooks has it: verify the signature over `webhook-id.webhook-timestamp.body`, and leave out an id that was handled before.
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
         * @description Sent at least once, in no particular order, until it is answered with 2xx: for three hours unless the operator or its endpoint set another time, with growing delays between the attempts. Signed as Standard Webhooks has it: verify the signature over `webhook-id.webhook-timestamp.body`, and leave out an id that was handled before.
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
         * All streams of a group finished and at least one failed. Sent again when a new stream joins and fails.
         * @description Sent at least once, in no particular order, until it is answered with 2xx: for three hours unless the operator or its endpoint set another time, with growing delays between the attempts. Signed as Standard Webhooks has it: verify the signature over `webhook-id.webhook-timestamp.body`, and leave out an id that was handled before.
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
         * @description Sent at least once, in no particular order, until it is answered with 2xx: for three hours unless the operator or its endpoint set another time, with growing delays between the attempts. Signed as Standard Webhooks has it: verify the signature over `webhook-id.webhook-timestamp.body`, and leave out an id that was handled before.
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
         * A test event, requested with `testWebhookEndpoint`.
         * @description Sent at least once, in no particular order, until it is answered with 2xx: for three hours unless the operator or its endpoint set another time, with growing delays between the attempts. Signed as Standard Webhooks has it: verify the signature over `webhook-id.webhook-timestamp.body`, and leave out an id that was handled before.
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
         * @description Sent at least once, in no particular order, until it is answered with 2xx: for three hours unless the operator or its endpoint set another time, with growing delays between the attempts. Signed as Standard Webhooks has it: verify the signature over `webhook-id.webhook-timestamp.body`, and leave out an id that was handled before.
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
         * @description Sent at least once, in no particular order, until it is answered with 2xx: for three hours unless the operator or its endpoint set another time, with growing delays between the attempts. Signed as Standard Webhooks has it: verify the signature over `webhook-id.webhook-timestamp.body`, and leave out an id that was handled before.
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
         * A processor started running for a stream.
         * @description Sent at least once, in no particular order, until it is answered with 2xx: for three hours unless the operator or its endpoint set another time, with growing delays between the attempts. Signed as Standard Webhooks has it: verify the signature over `webhook-id.webhook-timestamp.body`, and leave out an id that was handled before.
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
         * @description Sent at least once, in no particular order, until it is answered with 2xx: for three hours unless the operator or its endpoint set another time, with growing delays between the attempts. Signed as Standard Webhooks has it: verify the signature over `webhook-id.webhook-timestamp.body`, and leave out an id that was handled before.
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
         * The retention time of a stream has passed, or it was deleted. Its data are gone.
         * @description Sent at least once, in no particular order, until it is answered with 2xx: for three hours unless the operator or its endpoint set another time, with growing delays between the attempts. Signed as Standard Webhooks has it: verify the signature over `webhook-id.webhook-timestamp.body`, and leave out an id that was handled before.
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
         * @description Sent at least once, in no particular order, until it is answered with 2xx: for three hours unless the operator or its endpoint set another time, with growing delays between the attempts. Signed as Standard Webhooks has it: verify the signature over `webhook-id.webhook-timestamp.body`, and leave out an id that was handled before.
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
         * @description Sent at least once, in no particular order, until it is answered with 2xx: for three hours unless the operator or its endpoint set another time, with growing delays between the attempts. Signed as Standard Webhooks has it: verify the signature over `webhook-id.webhook-timestamp.body`, and leave out an id that was handled before.
         */
        post: operations["onStreamReady"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "transcript.edited": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A transcript has a new revision, by an edit or an undo. No wildcard includes it.
         * @description Sent at least once, in no particular order, until it is answered with 2xx: for three hours unless the operator or its endpoint set another time, with growing delays between the attempts. Signed as Standard Webhooks has it: verify the signature over `webhook-id.webhook-timestamp.body`, and leave out an id that was handled before.
         */
        post: operations["onTranscriptEdited"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface components {
    schemas: {
        /**
         * @default partial-final
         * @enum {string}
         */
        AcceptedFrameTypes: "partial-final" | "final";
        AttemptTimeline: {
            /**
             * Format: int64
             * @description 1 is the upload; each rerun counts up.
             */
            attempt: number;
            /** @description Of the request that asked for the attempt. Its events and log lines carry it. */
            correlationId: string;
            /** @description Sum over the stages that have ended, a decimal number. */
            credits: string;
            /** Format: date-time */
            endedTimestamp: string | null;
            /** @description Stage that a rerun began with; null runs the whole chain. */
            from: string | null;
            reason: string | null;
            /** @description The stages that run in this attempt, in the order of the chain. */
            stages: components["schemas"]["StageTimeline"][];
            /** Format: date-time */
            startedTimestamp: string;
            /** @enum {string} */
            state: "READY" | "COMPLETED" | "FAILED";
            stateDescription: string | null;
            /** @description Trace of the attempt (W3C Trace Context). */
            traceId: string;
        };
        AttemptTimelinePage: {
            content: components["schemas"]["AttemptTimeline"][];
            empty: boolean;
            first: boolean;
            last: boolean;
            /**
             * Format: int32
             * @description Number of this page, from 0.
             */
            number: number;
            /** Format: int32 */
            numberOfElements: number;
            pageable: components["schemas"]["Pageable"];
            /** Format: int32 */
            size: number;
            sort: components["schemas"]["Sort"];
            /** Format: int64 */
            totalElements: number;
            /** Format: int32 */
            totalPages: number;
        };
        BackupState: {
            /** Format: int64 */
            bytes: number;
            directory: string;
            position: string | null;
            /** Format: date-time */
            timestamp: string;
            verified: boolean;
        };
        BrokenEvent: {
            eventStream?: string | null;
            position?: string | null;
            reason: string;
            revision?: string | null;
        };
        BulkRerun: {
            /** Format: date-time */
            endedTimestamp: string | null;
            filter: components["schemas"]["RerunFilter"];
            from: string | null;
            /** Format: int64 */
            matched: number;
            /** Format: int64 */
            queued: number;
            reason: string | null;
            /** @description The first 20 of them. */
            refusals: components["schemas"]["BulkRerunRefusal"][];
            /**
             * Format: int64
             * @description Streams that could not run again.
             */
            refused: number;
            /** @description The credential that asked. */
            requestedBy: string;
            /** Format: date-time */
            requestedTimestamp: string;
            /** Format: uuid */
            requestId: string;
            /**
             * Format: int64
             * @description Streams that run again or have run.
             */
            started: number;
            state: components["schemas"]["BulkRerunState"];
            /**
             * Format: int64
             * @description Streams that wait for their turn.
             */
            waiting: number;
        };
        BulkRerunAccepted: {
            /**
             * Format: int64
             * @description Streams that the filter found.
             */
            matched: number;
            /**
             * Format: uuid
             * @description Names the bulk rerun. Null for a dry run.
             */
            requestId: string | null;
            /**
             * Format: int64
             * @description Streams that were queued.
             */
            started: number;
        };
        BulkRerunDraft: {
            /** @description Only counts: nothing is queued. */
            dryRun?: boolean | null;
            filter: components["schemas"]["RerunFilterDraft"];
            /** @description Id of the stage to begin with. Absent: the whole chain runs again. */
            from?: string | null;
            /** @description Alias or path to value, as in an upload. They apply to this attempt only. */
            patches?: {
                [key: string]: unknown;
            } | null;
            /** @description Why the stream runs again. Recorded in the audit log. */
            reason?: string | null;
        };
        BulkRerunPage: {
            content: components["schemas"]["BulkRerun"][];
            empty: boolean;
            first: boolean;
            last: boolean;
            /**
             * Format: int32
             * @description Number of this page, from 0.
             */
            number: number;
            /** Format: int32 */
            numberOfElements: number;
            pageable: components["schemas"]["Pageable"];
            /** Format: int32 */
            size: number;
            sort: components["schemas"]["Sort"];
            /** Format: int64 */
            totalElements: number;
            /** Format: int32 */
            totalPages: number;
        };
        BulkRerunRefusal: {
            message: string | null;
            /** Format: int64 */
            statusCode: number;
            /** Format: uuid */
            streamId: string;
        };
        /**
         * @description `RUNNING`: streams still wait.
         * @enum {string}
         */
        BulkRerunState: "RUNNING" | "COMPLETED" | "CANCELED";
        Caller: {
            /** @description Null for a session and for an outside issuer's token. */
            credential: components["schemas"]["Credential"] | null;
            roles: components["schemas"]["Role"][];
            session?: components["schemas"]["CallerSession"];
            subject: string;
        };
        /** @description Only present for a person who is signed in to the dashboard. */
        CallerSession: {
            id: string;
            /** @description Of the person. */
            name: string | null;
        };
        /** @enum {string} */
        CaptionCues: "readable" | "utterance";
        ChannelSentiment: {
            averageScore: number;
            channel: number;
            /** Format: int64 */
            negativeCount: number;
            /** Format: int64 */
            neutralCount: number;
            /** Format: int64 */
            positiveCount: number;
            sentiment: components["schemas"]["Sentiment"];
        };
        CorrectedUtterance: {
            /** @description Null for an utterance that this revision removed. */
            after: components["schemas"]["SpokenText"] | null;
            /** @description Null for an utterance that this revision made. */
            before: components["schemas"]["SpokenText"] | null;
            /**
             * Format: int64
             * @description Milliseconds from the start of the recording.
             */
            start: number | null;
            utterance: string;
        };
        Credential: {
            /** @description Only present for clients. */
            clientId?: string;
            /** Format: date-time */
            createdTimestamp: string;
            /** Format: date-time */
            expiresTimestamp: string | null;
            id: string;
            /** @description Id of the credential that issued it, or the part of the platform, such as `bootstrap`. */
            issuedBy: string;
            /** @description Only present if a person issued it in the dashboard: their name. Null once erased. */
            issuerName?: string | null;
            kind: components["schemas"]["CredentialKind"];
            label: string | null;
            /**
             * Format: date-time
             * @description Minute in which it was last accepted. Null: never, or before this version. Written once a minute: a crash may lose the last one, and a restored backup has none.
             */
            lastUsedTimestamp: string | null;
            role: components["schemas"]["Role"];
            /** @description Owner of everything done with this credential. */
            subject: string;
        };
        CredentialDraft: {
            /** Format: date-time */
            expiresTimestamp?: string | null;
            kind: components["schemas"]["CredentialKind"];
            label: string;
            role: components["schemas"]["Role"];
            /** @description Owner of everything done with this credential. Default: a new subject. */
            subject?: string | null;
        };
        /** @enum {string} */
        CredentialKind: "client" | "api-key";
        CredentialPage: {
            content: components["schemas"]["Credential"][];
            empty: boolean;
            first: boolean;
            last: boolean;
            /**
             * Format: int32
             * @description Number of this page, from 0.
             */
            number: number;
            /** Format: int32 */
            numberOfElements: number;
            pageable: components["schemas"]["Pageable"];
            /** Format: int32 */
            size: number;
            sort: components["schemas"]["Sort"];
            /** Format: int64 */
            totalElements: number;
            /** Format: int32 */
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
        /**
         * @default own
         * @enum {string}
         */
        DeclarationScope: "own" | "all";
        DeliveryAttempt: {
            /** Format: date-time */
            at: string;
            /** Format: int32 */
            attempt: number;
            milliseconds: number;
            /** @enum {string} */
            outcome: "delivered" | "failed" | "refused" | "exhausted";
            /** @description Reason of the failure, in a word or two. */
            reason: string | null;
            /** @description First 16 KiB of the answer, kept for 7 days. */
            response: string | null;
            /**
             * Format: int32
             * @description Null without an answer.
             */
            status: number | null;
        };
        DeliveryQueue: {
            /** Format: int64 */
            due: number;
            /** Format: int64 */
            inFlight: number;
            /** Format: int64 */
            scheduled: number;
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
        DiskState: {
            /** Format: int64 */
            freeBytes: number;
            /**
             * Format: int64
             * @description Uploads are refused when less is free.
             */
            reservedBytes: number;
            /** @description Why uploads are refused now. */
            shortage: string | null;
            /** Format: int64 */
            totalBytes: number;
        };
        DueDeletion: {
            /** Format: int64 */
            bytes: number;
            /** Format: uuid */
            streamId: string;
            subject: string;
            /**
             * Format: date-time
             * @description Live readers keep ephemeral data longer.
             */
            until: string;
        };
        DynamicWebhookDelivery: {
            attempts: components["schemas"]["DeliveryAttempt"][];
            /** Format: date-time */
            deadline: string;
            /** Format: uuid */
            deliveryId: string;
            /**
             * Format: uuid
             * @description `webhook-id` of every attempt.
             */
            eventId: string;
            /**
             * Format: uuid
             * @description Group it is about. Null for events of streams and for pings.
             */
            groupId: string | null;
            /** Format: date-time */
            nextAttempt: string | null;
            /**
             * Format: int64
             * @description Number of the delivery to this endpoint. Null for a ping.
             */
            sequence: number | null;
            state: components["schemas"]["DeliveryState"];
            /**
             * Format: uuid
             * @description Stream it is about. Null for events of groups and for pings.
             */
            streamId: string | null;
            type: string;
            url: string | null;
        };
        DynamicWebhookDeliveryPage: {
            content: components["schemas"]["DynamicWebhookDelivery"][];
            empty: boolean;
            first: boolean;
            last: boolean;
            /**
             * Format: int32
             * @description Number of this page, from 0.
             */
            number: number;
            /** Format: int32 */
            numberOfElements: number;
            pageable: components["schemas"]["Pageable"];
            /** Format: int32 */
            size: number;
            sort: components["schemas"]["Sort"];
            /** Format: int64 */
            totalElements: number;
            /** Format: int32 */
            totalPages: number;
        };
        Egress: {
            persist: boolean;
            sink: boolean;
            tags: string[];
        };
        EndpointHealthEvent: {
            /**
             * Format: uuid
             * @description The endpoint that the alert is about.
             */
            endpointId: string;
            /**
             * Format: int64
             * @description Failed attempts in a row. 0 for `healthy`.
             */
            failures: number;
            /** Format: date-time */
            lastSuccess: string | null;
            /** @description Of the last failure, or why it is disabled. Null for `healthy`. */
            reason: string | null;
            /**
             * Format: date-time
             * @description When the state began; of `failing`, the first failure.
             */
            since: string;
            /** @enum {string} */
            state: "failing" | "healthy" | "disabled";
            /**
             * Format: uuid
             * @description The owner.
             */
            subject: string;
            url: string;
        };
        EndpointHealthWebhook: {
            /**
             * Format: uuid
             * @description Id of the event: the same on every attempt, and equal to the header `webhook-id`.
             */
            id: string;
            payload: components["schemas"]["EndpointHealthEvent"];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            payloadSchema: "tributary.events.v1.EndpointHealthEvent";
            /**
             * Format: int64
             * @description Time of the event, in milliseconds since the epoch.
             */
            timestamp: number;
            /** @enum {string} */
            type: "endpoint.failing" | "endpoint.recovered" | "endpoint.disabled";
            /** Format: uuid */
            webhookEndpointId: string;
        };
        Engine: {
            detail: string;
            /** @enum {string} */
            kind: "speech" | "language model" | "decoder";
            model: string | null;
            name: string;
            /** @enum {string} */
            place: "built-in" | "local" | "server";
            /** @enum {string} */
            state: "ready" | "away" | "missing";
        };
        EngineWait: {
            reason: string | null;
            /** Format: date-time */
            since: string;
            /**
             * Format: date-time
             * @description Null while it waits.
             */
            until: string | null;
        };
        EnhancedTranscription: {
            transcription: components["schemas"]["Transcription"];
            utterances: components["schemas"]["Utterance"][];
        };
        Erasure: {
            /** Format: int64 */
            credentialsRevoked: number;
            /** Format: int64 */
            deliveriesDropped: number;
            /** Format: int64 */
            documentsDestroyed: number;
            /** Format: int64 */
            keysDestroyed: number;
            /** Format: int64 */
            streamsCanceled: number;
            subject: string;
            /** Format: int64 */
            topicsDestroyed: number;
        };
        ErrorResponse: {
            internalErrorName: components["schemas"]["InternalErrorName"];
            /** @description What went wrong, and what to do next. */
            message: string;
            nestedErrors: components["schemas"]["ErrorResponse"][];
            /** Format: int32 */
            statusCode: number;
            title: string;
        };
        EventKind: {
            /** @description The part of an event stream’s name before the first `-`. */
            category: string;
            /** @description Event types of these event streams. */
            types: string[];
        };
        EventStreamState: {
            asOf: string | null;
            /** @description JSON Patch (RFC 6902) from `state` to the state at `compareWith`. */
            difference?: {
                [key: string]: unknown;
            }[];
            eventStream: string;
            /** @description Revision of the last event in the state. */
            revision: string;
            /** @description State, in the form of its kind of event stream. */
            state: unknown;
        };
        /** @enum {string} */
        ExportFormat: "JSON" | "TEXT" | "SRT" | "VTT" | "DOCX" | "MD" | "CSV" | "EVENTS" | "ZIP";
        ExportResult: {
            /** @description By prompt id. */
            askAnything?: {
                [key: string]: components["schemas"]["PromptAnswer"];
            };
            enhancedTranscription?: components["schemas"]["EnhancedTranscription"];
            /** @description By processor id; of several streams by `<streamId>/<processorId>`. */
            metadata?: {
                [key: string]: components["schemas"]["ResultMetadata"];
            };
            sentimentAnalysis?: components["schemas"]["SentimentAnalysis"];
            /** @description Names of speakers by their ids; of several streams by `<streamId>/<id>`. */
            speakerNames?: {
                [key: string]: string;
            };
            summary?: components["schemas"]["Summary"];
            transcription?: components["schemas"]["Transcription"];
            utterances?: components["schemas"]["Utterance"][];
        };
        FoundStream: {
            /** Format: date-time */
            createdTimestamp: string;
            /**
             * Format: int64
             * @description Of the audio, in milliseconds. Null without audio.
             */
            duration: number | null;
            /**
             * Format: int64
             * @description How often the words and phrases occur in the stream.
             */
            hits: number;
            labels: string[];
            name: string | null;
            /** @description The best three at most. */
            passages: components["schemas"]["SearchPassage"][];
            /** Format: uuid */
            streamId: string;
        };
        FoundStreamPage: {
            content: components["schemas"]["FoundStream"][];
            empty: boolean;
            first: boolean;
            last: boolean;
            /**
             * Format: int32
             * @description Number of this page, from 0.
             */
            number: number;
            /** Format: int32 */
            numberOfElements: number;
            pageable: components["schemas"]["Pageable"];
            /** Format: int32 */
            size: number;
            sort: components["schemas"]["Sort"];
            /** Format: int64 */
            totalElements: number;
            /** Format: int32 */
            totalPages: number;
        };
        GatewayComponent: {
            state: components["schemas"]["GatewayState"];
            /** Format: date-time */
            stateChangedTimestamp: string;
        };
        /** @enum {string} */
        GatewayState: "CONNECTED" | "DISCONNECTED" | "CLOSED";
        /** @enum {string} */
        GrantType: "client_credentials";
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
            /** Format: int64 */
            streamsCount: number;
        };
        /** @enum {string} */
        GroupState: "CREATED" | "COMPLETED" | "FAILED" | "EXPIRED";
        GroupStateChangedEvent: {
            dynamicWebhookEndpoints: components["schemas"]["WebhookEndpoint"][];
            /** Format: uuid */
            groupId: string;
            state: components["schemas"]["GroupState"];
            /**
             * Format: uuid
             * @description The owner.
             */
            subject: string;
        };
        GroupStateChangedWebhook: {
            /**
             * Format: uuid
             * @description Id of the event: the same on every attempt, and equal to the header `webhook-id`.
             */
            id: string;
            payload: components["schemas"]["GroupStateChangedEvent"];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            payloadSchema: "tributary.events.v1.GroupStateChangedEvent";
            /**
             * Format: int64
             * @description Time of the event, in milliseconds since the epoch.
             */
            timestamp: number;
            /** @enum {string} */
            type: "group.created" | "group.completed" | "group.failed" | "group.expired";
            /** Format: uuid */
            webhookEndpointId: string;
        };
        GroupStreamJoinedEvent: {
            dynamicWebhookEndpoints: components["schemas"]["WebhookEndpoint"][];
            /** Format: uuid */
            groupId: string;
            /** Format: uuid */
            streamId: string;
            /**
             * Format: uuid
             * @description The stream's owner.
             */
            streamSubject: string;
            /**
             * Format: uuid
             * @description The group's owner.
             */
            subject: string;
        };
        GroupStreamJoinedWebhook: {
            /**
             * Format: uuid
             * @description Id of the event: the same on every attempt, and equal to the header `webhook-id`.
             */
            id: string;
            payload: components["schemas"]["GroupStreamJoinedEvent"];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            payloadSchema: "tributary.events.v1.GroupStreamJoinedEvent";
            /**
             * Format: int64
             * @description Time of the event, in milliseconds since the epoch.
             */
            timestamp: number;
            /** @enum {string} */
            type: "group.stream-joined";
            /** Format: uuid */
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
        /** @enum {string} */
        InternalErrorName: "GENERAL_INTERNAL_ERROR" | "GENERAL_VALIDATION_ERROR" | "GENERAL_AUTHENTICATION_ERROR" | "GENERAL_AUTHORIZATION_ERROR" | "GENERAL_NOT_FOUND_ERROR" | "GENERAL_BAD_REQUEST_ERROR" | "GENERAL_TIME_OUT_ERROR" | "GENERAL_CONFLICT_ERROR" | "STREAM_CONFIGURATION_BAD_TEMPLATE" | "STREAM_CONFIGURATION_BAD_PATCH" | "STREAM_CONFIGURATION_BAD_PATCH_ALIAS" | "STREAM_USAGE_LIMIT_REACHED" | "WEBHOOK_CONFIGURATION_ERROR" | "WEBHOOK_ENDPOINTS_DEFINITION_LIMIT_REACHED" | "CURRENCY_ERROR" | "USAGE_INTERVAL_TOO_LONG" | "USAGE_INTERVAL_TOO_SHORT" | "PROCESSOR_FAILED_RESERVATION_ERROR" | "PROCESSOR_FAILED_CONFIRMATION_ERROR" | "PROCESSOR_PROPERTIES_VALIDATION_ERROR" | "PROCESSOR_TRANSCODING_ERROR" | "PROCESSOR_TRANSCRIPTION_ERROR" | "PROCESSOR_SPEAKER_DIARIZATION_ERROR" | "PROCESSOR_GENERAL_ERROR" | "PROCESSOR_CORDONED_ERROR" | "PROCESSOR_FEATURE_ERROR" | "HTTP_STREAM_CONFIGURATION_ERROR";
        IssuedCredential: {
            /** @description Only present for clients. */
            clientId?: string;
            /** Format: date-time */
            createdTimestamp: string;
            /** Format: date-time */
            expiresTimestamp: string | null;
            id: string;
            kind: components["schemas"]["CredentialKind"];
            label: string | null;
            role: components["schemas"]["Role"];
            /** @description Shown only in this answer. */
            secret: string;
            /** @description Owner of everything done with this credential. */
            subject: string;
        };
        JoinEdit: {
            /** @description The speaker who stays. */
            into: string;
            /** @constant */
            op: "join";
            /** @description Id of a speaker. */
            speaker: string;
        };
        JsonWebKeySet: {
            keys: {
                [key: string]: unknown;
            }[];
        };
        KeptByUser: {
            /**
             * Format: int64
             * @description Uploads and results.
             */
            bytes: number;
            /** Format: int64 */
            dueBytes: number;
            /**
             * Format: int64
             * @description Of these streams, those that are deleted within a day.
             */
            dueStreams: number;
            /** @description Names of the people who work with its library, or the label of its first credential. Empty once erased. */
            names: string[];
            /** Format: int64 */
            streams: number;
            /** @description Owner of the streams. */
            subject: string;
        };
        KeptResults: {
            /** Format: int64 */
            bytes: number;
            /** @description Those who keep most come first. */
            byUser: components["schemas"]["KeptByUser"][];
            /** @description The next deletions. */
            due: components["schemas"]["DueDeletion"][];
            /**
             * Format: int64
             * @description KEPT_BYTES_PER_USER: uploads of a user get 429 at it. Null without a limit.
             */
            limitBytes: number | null;
            /** Format: int64 */
            streams: number;
            /**
             * Format: int64
             * @description Owners who keep something.
             */
            users: number;
        };
        Label: {
            label: string;
            /** Format: int64 */
            streams: number;
        };
        Lease: {
            /** Format: int64 */
            epoch: number;
            holder: string;
            name: string;
        };
        ListedMediaStream: {
            /** @description What to do about the failure of the stream. Null unless it failed. */
            advice: string | null;
            /**
             * Format: int64
             * @description 1 is the upload; each rerun counts up.
             */
            attempt: number;
            /**
             * Format: int64
             * @description Milliseconds of audio that were processed. Null without audio, and until it is known.
             */
            audioLength: number | null;
            configuration: components["schemas"]["StreamConfiguration"];
            /** Format: date-time */
            createdTimestamp: string;
            /** Format: uuid */
            creatorId: string;
            /** @description Credits of all ended runs of all attempts, a decimal number. */
            credits: string;
            /**
             * Format: date-time
             * @description Time of completion or failure.
             */
            finalizedTimestamp: string | null;
            /** Format: uuid */
            groupCreatorId: string;
            /** Format: uuid */
            groupId: string;
            /** @description Labels of the owner, at most 20. */
            labels: string[];
            name: string | null;
            state: components["schemas"]["StreamState"];
            /** @description Reason of the state FAILED. */
            stateDescription: string | null;
            /** Format: uuid */
            streamId: string;
            /** @description Codes of the warnings in the results, such as `LANGUAGE_UNLIKELY`. The results have them with their text. */
            warnings: string[];
        };
        ListedProcessorDeclaration: {
            clusterDomainNameTemplate: string | null;
            defaultProperties?: {
                [key: string]: unknown;
            };
            description: string;
            displayName: string;
            features: components["schemas"]["ProcessorFeatures"];
            id: string;
            /** @description `bytes`, `string`, the name of a built-in message, or a JSON Schema of the messages (then the messages travel as NDJSON). */
            inputSchema?: string | {
                [key: string]: unknown;
            };
            inputSchemas: string[];
            limits?: {
                /**
                 * Format: int32
                 * @description Tries of one run. Default: 3.
                 */
                attempts: number;
                /**
                 * Format: int32
                 * @description Runs at once on each node. Default: 4.
                 */
                concurrency: number;
                /**
                 * Format: int32
                 * @description Bytes of output. Default: 64 MiB.
                 */
                maxOutputBytes: number;
                /**
                 * Format: int32
                 * @description Milliseconds of one try, polling included. In live mode it counts from the end of the input. Default: 600,000.
                 */
                timeoutMs: number;
            };
            /** @enum {string} */
            mode?: "batch" | "live";
            name?: string;
            operationType: components["schemas"]["OperationType"];
            /** @enum {string} */
            origin: "built-in" | "own" | "shared";
            /** @description `bytes`, `string`, the name of a built-in message, or a JSON Schema of the messages (then the messages travel as NDJSON). */
            outputSchema: string | {
                [key: string]: unknown;
            };
            patchAliases?: {
                [key: string]: string;
            };
            podsDiscoveryClusterDomainName: string | null;
            price?: {
                /** @enum {string} */
                quantity: "executionTime" | "storageSize" | "ingressSize" | "egressSize" | "processedAudioLength" | "processedTokens" | "processedInputTokens" | "processedOutputTokens";
                /** @description Credits for one unit of the quantity, decimal text. */
                rate: string;
            }[];
            /** @description The JSON Schema itself. */
            propertiesJsonSchema: {
                [key: string]: unknown;
            };
            /** @description Fully qualified name of the schema. */
            propertiesSchema: string;
            revision: string;
            /** @description Shown to its owner and to administrators only. */
            url?: string | null;
            /** Format: int64 */
            version?: number;
        };
        ListedProcessorDeclarationPage: {
            content: components["schemas"]["ListedProcessorDeclaration"][];
            empty: boolean;
            first: boolean;
            last: boolean;
            /**
             * Format: int32
             * @description Number of this page, from 0.
             */
            number: number;
            /** Format: int32 */
            numberOfElements: number;
            pageable: components["schemas"]["Pageable"];
            /** Format: int32 */
            size: number;
            sort: components["schemas"]["Sort"];
            /** Format: int64 */
            totalElements: number;
            /** Format: int32 */
            totalPages: number;
        };
        /**
         * @default NDJSON
         * @enum {string}
         */
        LiveFormat: "NDJSON" | "EVENTS" | "RAW";
        LlmContent: {
            content: string;
        };
        LlmMessage: {
            askAnything?: components["schemas"]["LlmContent"][];
            metadata: {
                [key: string]: unknown;
            };
            promptId: string | null;
            /** @description The requested JSON Schema, as text. */
            responseFormatSpecification: string | null;
            sentimentAnalysis?: components["schemas"]["SentimentSegment"][];
            sentimentAnalysisSummary?: components["schemas"]["SentimentSummary"];
            /** Format: int64 */
            sequenceId: number;
            summary?: components["schemas"]["LlmContent"][];
        };
        LogActor: {
            /** @description As in `metadata.actor`. */
            id: string;
            /** @description Null once its owner has been erased. */
            label: string | null;
            role: string;
            subject: string;
        };
        LogEvent: {
            data: {
                [key: string]: unknown;
            };
            /** @description The event stream it belongs to. */
            eventStream: string;
            /** Format: uuid */
            id: string;
            metadata: {
                [key: string]: unknown;
            };
            /** @description Position in the log. Opaque; sorts in log order. */
            position: string;
            /** @description Revision within the event stream, from 0. */
            revision: string;
            type: string;
        };
        /**
         * @default readable
         * @enum {string}
         */
        LogEventForm: "readable" | "stored";
        LogEventPage: {
            /** @description Credentials and people that caused these events, each once. Parts of the platform, such as `retention`, are left out. Empty with `form=stored`, since labels are personal. */
            actors: components["schemas"]["LogActor"][];
            content: components["schemas"]["LogEvent"][];
            /** @description The `after` of the next page; null at the end. */
            next: string | null;
        };
        /**
         * @default desc
         * @enum {string}
         */
        LogOrder: "asc" | "desc";
        LogSealedEvent: {
            /**
             * Format: int64
             * @description Events that the seal covers.
             */
            count: number;
            /** @description Hex SHA-256 of the seal. */
            hash: string;
            /**
             * Format: uuid
             * @description The last event that the seal covers.
             */
            lastEventId: string;
            /** @description The line of `tributary audit seals`. Keep it for `tributary audit verify --expect`. */
            line: string;
            /** @description Revision of the seal in the event stream `seals`. */
            revision: string;
        };
        LogSealedWebhook: {
            /**
             * Format: uuid
             * @description Id of the event: the same on every attempt, and equal to the header `webhook-id`.
             */
            id: string;
            payload: components["schemas"]["LogSealedEvent"];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            payloadSchema: "tributary.events.v1.LogSealedEvent";
            /**
             * Format: int64
             * @description Time of the event, in milliseconds since the epoch.
             */
            timestamp: number;
            /** @enum {string} */
            type: "audit.sealed";
            /** Format: uuid */
            webhookEndpointId: string;
        };
        MediaStream: {
            /**
             * Format: int64
             * @description 1 is the upload; each rerun counts up.
             */
            attempt: number;
            configuration: components["schemas"]["StreamConfiguration"];
            /** Format: date-time */
            createdTimestamp: string;
            /** Format: uuid */
            creatorId: string;
            /**
             * Format: date-time
             * @description Time of completion or failure.
             */
            finalizedTimestamp: string | null;
            /** Format: uuid */
            groupCreatorId: string;
            /** Format: uuid */
            groupId: string;
            /** @description Labels of the owner, at most 20. */
            labels: string[];
            name: string | null;
            state: components["schemas"]["StreamState"];
            /** @description Reason of the state FAILED. */
            stateDescription: string | null;
            /** Format: uuid */
            streamId: string;
        };
        MediaStreamPage: {
            content: components["schemas"]["ListedMediaStream"][];
            empty: boolean;
            first: boolean;
            last: boolean;
            /**
             * Format: int32
             * @description Number of this page, from 0.
             */
            number: number;
            /** Format: int32 */
            numberOfElements: number;
            pageable: components["schemas"]["Pageable"];
            /** Format: int32 */
            size: number;
            sort: components["schemas"]["Sort"];
            /** Format: int64 */
            totalElements: number;
            /** Format: int32 */
            totalPages: number;
        };
        MergeEdit: {
            /** @constant */
            op: "merge";
            /** @description Id of an utterance. */
            utterance: string;
        };
        NameEdit: {
            /** @description Null removes the name. */
            name: string | null;
            /** @constant */
            op: "name";
            /** @description Id of a speaker. */
            speaker: string;
        };
        /** @description The newest seal of the log. Keep it elsewhere to prove later that nothing was cut off. */
        NewestSeal: {
            hash: string | null;
            keyId: string;
            /** @description The last event that it covers. */
            lastEventId: string;
            position: string;
            /** @description Revision in the event stream `seals`. */
            revision: string;
            signature: string;
            time: string | null;
        };
        NewShare: {
            /** Format: date-time */
            createdTimestamp: string;
            /**
             * Format: date-time
             * @description Null: never.
             */
            expires: string | null;
            /** Format: uuid */
            id: string;
            media: boolean;
            /** @description The link. Shown only in this answer. */
            url: string;
        };
        Node: {
            alive: boolean;
            host: string;
            id: string;
            /** Format: date-time */
            joinedTimestamp: string;
            roles: string[];
            /** @description The node that answers. */
            self: boolean;
        };
        NodeQueues: {
            deliveries: components["schemas"]["DeliveryQueue"];
            /** @description Streams of all users that run or wait for their processors. Null in the cluster form, which has no such limit. */
            runningStreams: components["schemas"]["RunningStreams"] | null;
            runs: components["schemas"]["RunQueue"][];
        };
        OpenAiClientSecret: {
            /**
             * Format: int64
             * @description Seconds since the epoch.
             */
            expires_at: number;
            session: {
                [key: string]: unknown;
            };
            value: string;
        };
        OpenAiClientSecretDraft: {
            /** @description Default: 600 seconds. */
            expires_after?: {
                /** @enum {string} */
                anchor?: "created_at";
                /** Format: int32 */
                seconds?: number;
            } | null;
            session?: {
                [key: string]: unknown;
            };
        };
        OpenAiError: {
            error: {
                code: string | null;
                message: string;
                param: string | null;
                type: string;
            };
        };
        OpenAiModel: {
            /** Format: int64 */
            created: number;
            id: string;
            /** @enum {string} */
            object: "model";
            /** @enum {string} */
            owned_by: "tributary";
        };
        OpenAiTranscript: {
            /** @description Seconds, with verbose_json and diarized_json. */
            duration?: number;
            /** @description The language's English name, with verbose_json. */
            language?: string;
            /** @description With verbose_json and diarized_json; times in seconds. */
            segments?: {
                [key: string]: unknown;
            }[];
            /**
             * @description With verbose_json and diarized_json.
             * @enum {string}
             */
            task?: "transcribe" | "translate";
            text: string;
            /** @description Length of the recording. */
            usage?: {
                seconds: number;
                /** @enum {string} */
                type: "duration";
            };
            /** @description With the granularity word; times in seconds. */
            words?: {
                end: number;
                start: number;
                word: string;
            }[];
        };
        OpenAiTranscriptionSession: {
            client_secret: {
                /**
                 * Format: int64
                 * @description Seconds since the epoch.
                 */
                expires_at: number;
                value: string;
            };
        };
        /** @enum {string} */
        OperationType: "BATCH_TRANSCRIPTION" | "REAL_TIME_TRANSCRIPTION" | "SPEAKERS_DIARIZATION" | "VOICE_ACTIVITY_DETECTION" | "TRANSCODE" | "TRANSLATION" | "SUMMARIZATION" | "SENTIMENT_ANALYSIS" | "NO_OPERATION" | "LLM_PROCESSING" | "REDACTION";
        OwnProcessorDeclaration: {
            clusterDomainNameTemplate: string | null;
            defaultProperties: {
                [key: string]: unknown;
            };
            description: string;
            displayName: string;
            features: components["schemas"]["ProcessorFeatures"];
            id: string;
            /** @description `bytes`, `string`, the name of a built-in message, or a JSON Schema of the messages (then the messages travel as NDJSON). */
            inputSchema: string | {
                [key: string]: unknown;
            };
            inputSchemas: string[];
            limits: {
                /**
                 * Format: int32
                 * @description Tries of one run. Default: 3.
                 */
                attempts: number;
                /**
                 * Format: int32
                 * @description Runs at once on each node. Default: 4.
                 */
                concurrency: number;
                /**
                 * Format: int32
                 * @description Bytes of output. Default: 64 MiB.
                 */
                maxOutputBytes: number;
                /**
                 * Format: int32
                 * @description Milliseconds of one try, polling included. In live mode it counts from the end of the input. Default: 600,000.
                 */
                timeoutMs: number;
            };
            /** @enum {string} */
            mode: "batch" | "live";
            name: string;
            operationType: components["schemas"]["OperationType"];
            /** @enum {string} */
            origin: "built-in" | "own" | "shared";
            /** @description `bytes`, `string`, the name of a built-in message, or a JSON Schema of the messages (then the messages travel as NDJSON). */
            outputSchema: string | {
                [key: string]: unknown;
            };
            patchAliases: {
                [key: string]: string;
            };
            podsDiscoveryClusterDomainName: string | null;
            price: {
                /** @enum {string} */
                quantity: "executionTime" | "storageSize" | "ingressSize" | "egressSize" | "processedAudioLength" | "processedTokens" | "processedInputTokens" | "processedOutputTokens";
                /** @description Credits for one unit of the quantity, decimal text. */
                rate: string;
            }[];
            /** @description The JSON Schema itself. */
            propertiesJsonSchema: {
                [key: string]: unknown;
            };
            /** @description Fully qualified name of the schema. */
            propertiesSchema: string;
            revision: string;
            /** @description Signs every request (`whsec_...`). Shown once, when the processor is declared. */
            secret?: string;
            /** @description Shown to its owner and to administrators only. */
            url: string | null;
            /** Format: int64 */
            version: number;
        };
        OwnProcessorDraft: {
            defaultProperties?: {
                [key: string]: unknown;
            } | null;
            description?: string | null;
            /** @description The declaration to give a new version; absent creates one. */
            id?: string | null;
            /** @description `bytes`, `string`, the name of a built-in message, or a JSON Schema of the messages (then the messages travel as NDJSON). */
            inputSchema: string | {
                [key: string]: unknown;
            };
            limits?: {
                /**
                 * Format: int32
                 * @description Tries of one run. Default: 3.
                 */
                attempts?: number;
                /**
                 * Format: int32
                 * @description Runs at once on each node. Default: 4.
                 */
                concurrency?: number;
                /**
                 * Format: int32
                 * @description Bytes of output. Default: 64 MiB.
                 */
                maxOutputBytes?: number;
                /**
                 * Format: int32
                 * @description Milliseconds of one try, polling included. In live mode it counts from the end of the input. Default: 600,000.
                 */
                timeoutMs?: number;
            } | null;
            /** @enum {string} */
            mode: "batch" | "live";
            name: string;
            /** @enum {string|null} */
            operationType?: "BATCH_TRANSCRIPTION" | "REAL_TIME_TRANSCRIPTION" | "SPEAKERS_DIARIZATION" | "VOICE_ACTIVITY_DETECTION" | "TRANSCODE" | "TRANSLATION" | "SUMMARIZATION" | "SENTIMENT_ANALYSIS" | "NO_OPERATION" | "LLM_PROCESSING" | "REDACTION" | null;
            /** @description `bytes`, `string`, the name of a built-in message, or a JSON Schema of the messages (then the messages travel as NDJSON). */
            outputSchema: string | {
                [key: string]: unknown;
            };
            patchAliases?: {
                [key: string]: string;
            } | null;
            price?: {
                /** @enum {string} */
                quantity: "executionTime" | "storageSize" | "ingressSize" | "egressSize" | "processedAudioLength" | "processedTokens" | "processedInputTokens" | "processedOutputTokens";
                /** @description Credits for one unit of the quantity, decimal text. */
                rate: string;
            }[] | null;
            propertiesJsonSchema?: {
                [key: string]: unknown;
            };
            url: string;
        };
        Pageable: {
            /** Format: int64 */
            offset: number;
            paged: boolean;
            /** Format: int32 */
            pageNumber: number;
            /** Format: int32 */
            pageSize: number;
            sort: components["schemas"]["Sort"];
            unpaged: boolean;
        };
        PatchOperation: {
            op: components["schemas"]["PatchOperator"];
            /** @description `/processors/llm/properties/summary/enabled`, the same with dots, or an alias. */
            path: string;
            /**
             * @description Text, a number, a boolean, null, or a list of these.
             * @example detailed
             * @example 0.5
             * @example true
             * @example null
             * @example [
             *       "en",
             *       "ro"
             *     ]
             */
            value?: unknown;
        };
        /** @enum {string} */
        PatchOperator: "add" | "replace" | "remove";
        PingEvent: Record<string, never>;
        PingWebhook: {
            /**
             * Format: uuid
             * @description Id of the event: the same on every attempt, and equal to the header `webhook-id`.
             */
            id: string;
            payload: components["schemas"]["PingEvent"];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            payloadSchema: "tributary.events.v1.PingEvent";
            /**
             * Format: int64
             * @description Time of the event, in milliseconds since the epoch.
             */
            timestamp: number;
            /** @enum {string} */
            type: "ping";
            /** Format: uuid */
            webhookEndpointId: string;
        };
        ProcessorComponent: {
            /**
             * Format: int64
             * @description Attempt of the stream that this run belongs to.
             */
            attempt: number;
            /** Format: date-time */
            endedTimestamp: string | null;
            errorName: string | null;
            processorId: string;
            /** Format: date-time */
            startedTimestamp: string | null;
            state: components["schemas"]["ProcessorState"];
            /** Format: date-time */
            stateChangedTimestamp: string;
            stateDescription: string | null;
            /**
             * Format: int64
             * @description How often the run has started in this attempt.
             */
            tries: number;
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
        ProcessorFeatures: {
            implement: string[];
            require: string[];
            requireSupport: string[];
            support: string[];
        };
        ProcessorRequest: {
            /** Format: int64 */
            durationMs: number;
            method: string;
            /** Format: int64 */
            status: number | null;
        };
        ProcessorSecretRotated: {
            /** Format: date-time */
            previousValidUntil: string;
            secret: string;
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
        ProcessorTest: {
            /** @description Text for `string`, base64 for `bytes`, a list of payloads for messages. At most 64 KiB. */
            input: unknown;
            properties?: {
                [key: string]: unknown;
            } | null;
        };
        ProcessorTestError: {
            message: string;
            name: string;
        };
        ProcessorTestResult: {
            /** Format: int64 */
            durationMs: number;
            error?: components["schemas"]["ProcessorTestError"];
            /** @description As `input`. Absent when the run failed. */
            output?: unknown;
            requests: components["schemas"]["ProcessorRequest"][];
        };
        ProcessorUsage: {
            /**
             * Format: int64
             * @description Attempt of the stream: 1 is the upload.
             */
            attempt: number;
            /** Format: uuid */
            creatorId: string;
            /** @description A decimal number, in credits or in the currency asked for. */
            credits: string;
            /**
             * Format: int64
             * @description Bytes of output.
             */
            egressSize: number | null;
            errorOccurred: boolean;
            /**
             * Format: int64
             * @description Milliseconds.
             */
            executionTime: number | null;
            /** @description Whether the processor has finished. */
            finalUsage: boolean;
            /** Format: uuid */
            groupId: string;
            /**
             * Format: int64
             * @description Bytes read.
             */
            ingressSize: number | null;
            operationType: components["schemas"]["OperationType"];
            /**
             * Format: int64
             * @description Milliseconds.
             */
            processedAudioLength: number | null;
            /** Format: int64 */
            processedInputTokens: number | null;
            /** Format: int64 */
            processedOutputTokens: number | null;
            /** Format: int64 */
            processedTokens: number | null;
            processorId: string;
            /**
             * Format: int64
             * @description Bytes kept.
             */
            storageSize: number | null;
            streamConfigurationTemplateId: string;
            /** Format: uuid */
            streamId: string;
            /**
             * Format: int64
             * @description Milliseconds since the epoch.
             */
            timestamp: number;
        };
        Projection: {
            error: string | null;
            head: string | null;
            /** Format: int64 */
            lagEvents: number;
            lagSeconds: number;
            name: string;
            position: string | null;
            /** @description Events per second. */
            rate: number;
            /** @enum {string} */
            state: "catching-up" | "live" | "stopped" | "rebuilding";
            /** Format: int64 */
            version: number;
        };
        PromptAnswer: {
            content: string;
            promptId: string;
            responseFormatSpecification: string | null;
        };
        /** @description Send exactly one of the two. */
        Recovery: {
            /** @description Only events after this log position. */
            after?: string;
            /**
             * Format: date-time
             * @description Only events at or after this time; UTC without an offset.
             */
            since?: string;
        };
        RenamedSpeaker: {
            after: string | null;
            before: string | null;
            speaker: string;
        };
        ReplaceEdit: {
            find: string;
            matchCase?: boolean;
            /** @constant */
            op: "replace";
            wholeWords?: boolean;
            with: string;
        };
        Rerun: {
            /** @description Id of the stage to begin with. Absent: the whole chain runs again. */
            from?: string | null;
            /** @description Alias or path to value, as in an upload. They apply to this attempt only. */
            patches?: {
                [key: string]: unknown;
            } | null;
            /** @description Why the stream runs again. Recorded in the audit log. */
            reason?: string | null;
        };
        RerunAccepted: {
            /** Format: int64 */
            attempt: number;
            /** Format: uuid */
            streamId: string;
        };
        RerunFilter: {
            errorName: string | null;
            /** Format: uuid */
            groupId: string | null;
            /** Format: date-time */
            since: string | null;
            state: string | null;
            streamConfigurationTemplateId: string | null;
            /** Format: date-time */
            until: string | null;
        };
        /** @description Which streams run again. At least one member. */
        RerunFilterDraft: {
            /** @description Only FAILED streams whose first failed stage has this error name, such as `PROCESSOR_GENERAL_ERROR`. */
            errorName?: string | null;
            /**
             * Format: uuid
             * @description Only streams of this group.
             */
            groupId?: string | null;
            /**
             * @description Only streams created at this time or later. ISO 8601; UTC without an offset.
             * @example 2026-03-01T00:00:00Z
             */
            since?: string | null;
            /**
             * @description Absent: COMPLETED and FAILED streams.
             * @enum {string|null}
             */
            state?: "COMPLETED" | "FAILED" | null;
            /** @description Only streams that use this template, by its id or name. */
            streamConfigurationTemplateId?: string | null;
            /**
             * @description Only streams created at this time or earlier. ISO 8601; UTC without an offset.
             * @example 2026-03-01T00:00:00Z
             */
            until?: string | null;
        };
        RerunOption: {
            /** @description Stage to begin with. Null is the whole chain. */
            from: string | null;
            /** @description What a rerun would answer. Null if it can begin there. */
            refusal: components["schemas"]["RerunRefusal"] | null;
        };
        RerunOptions: {
            options: components["schemas"]["RerunOption"][];
            /** Format: uuid */
            streamId: string;
        };
        RerunRefusal: {
            message: string;
            /** Format: int64 */
            statusCode: number;
        };
        ResultMetadata: {
            /** @description What made the result, such as `faster-whisper 1.2.1`; `extractive` for extracts of the text itself. */
            engine: string;
            language?: string | null;
            /** @description Present if the language was detected. */
            languageProbability?: number;
            model?: string;
            /** @description Length of the recording as its file states it, in milliseconds. Absent if it states none. */
            recordingLength?: number;
            /** @description Problems that did not fail the run. A warning of an older result has the code `NOTE`. */
            warnings?: components["schemas"]["ResultWarning"][];
            /**
             * @description Whether the engine measured the times of words.
             * @enum {string}
             */
            wordTimes?: "aligned" | "estimated";
        };
        ResultWarning: {
            /** @description For programs, such as `LANGUAGE_UNLIKELY`. */
            code: string;
            /** @description For people. */
            message: string;
        };
        ResumableUpload: {
            /**
             * Format: date-time
             * @description When the upload ends unless more bytes arrive. `null`: it is complete, and its stream exists.
             */
            expires: string | null;
            /**
             * Format: int64
             * @description Bytes in all.
             */
            length: number;
            /**
             * Format: int64
             * @description Bytes that have arrived.
             */
            offset: number;
            /** Format: uuid */
            streamId: string;
        };
        /** @enum {string} */
        Role: "user" | "gateway" | "auditor" | "admin";
        RotatedWebhookSecret: {
            /** Format: date-time */
            previousValidUntil: string;
            /** @description `whsec_` and the base64 of 32 bytes, as Standard Webhooks has it. */
            secret: string;
        };
        RunningStreams: {
            /**
             * Format: int64
             * @description MAX_RUNNING_STREAMS: uploads and reruns get 503 at it.
             */
            limit: number;
            /** Format: int64 */
            running: number;
        };
        RunQueue: {
            lane: string;
            /** Format: int64 */
            running: number;
            /** Format: int64 */
            waiting: number;
        };
        ScheduledRecovery: {
            /** Format: int64 */
            scheduled: number;
        };
        /** @description First a line per public key (`keyId`, `algorithm`, `publicKey`), then the events of `seals` as they are stored. */
        SealLine: {
            [key: string]: unknown;
        };
        SearchPassage: {
            /** Format: int64 */
            end: number | null;
            /** @enum {string} */
            kind: "transcript" | "summary" | "answer" | "text" | "name";
            /** @description Where the words are in `text`: `[start, end)`, in UTF-16 units. */
            marks: number[][];
            /** @description Name of the speaker, otherwise `Speaker` and the id. */
            speaker: string | null;
            /**
             * Format: int64
             * @description Milliseconds from the start of the audio.
             */
            start: number | null;
            /** @description Of a long text, the part with the most occurrences, with `…` where it was cut. */
            text: string;
            /** @description Id of the utterance in the transcript. */
            utterance: string | null;
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
            /** Format: int64 */
            negativeCount: number;
            /** Format: int64 */
            neutralCount: number;
            /** Format: int64 */
            positiveCount: number;
            sentiment: components["schemas"]["Sentiment"];
        };
        Session: {
            /** Format: date-time */
            createdTimestamp: string;
            /** @description Whether this request was sent in it. */
            current: boolean;
            /** @description Browser and system, such as `Firefox on Linux`. */
            device: string | null;
            id: string;
            /**
             * Format: date-time
             * @description To the minute.
             */
            lastUsedTimestamp: string | null;
        };
        SetupAdvice: {
            /** @enum {string} */
            code: "ONLY_ENGLISH" | "NO_LANGUAGE_MODEL" | "MASTER_KEY_BESIDE_DATA" | "NO_SIGN_IN";
            /** @description A command or a setting that helps. */
            command: string | null;
            message: string;
        };
        Share: {
            /** Format: date-time */
            createdTimestamp: string;
            /**
             * Format: date-time
             * @description Null: never.
             */
            expires: string | null;
            /** Format: uuid */
            id: string;
            /**
             * Format: date-time
             * @description To the minute. Null: never.
             */
            lastViewed: string | null;
            media: boolean;
            /**
             * Format: int64
             * @description Loads of the page. Those of the last minute may be missing.
             */
            views: number;
        };
        ShareDraft: {
            /**
             * @description When the link ends, ISO 8601. Null: never. Absent: in 30 days.
             * @example 2030-01-01T00:00:00Z
             */
            expires?: string | null;
            /**
             * @description Whether the recording can be played and downloaded too.
             * @default true
             */
            media: boolean;
        };
        SignInLink: {
            /** @description The last part of the link. */
            token: string;
        };
        SingleLogEvent: {
            /** @description Credentials and people that caused these events, each once. Parts of the platform, such as `retention`, are left out. Empty with `form=stored`, since labels are personal. */
            actors: components["schemas"]["LogActor"][];
            /** @description Of an edit or undo of a transcript: what it changed, before and after. Null for other events, and while the data of the stream are deleted or cannot be read. */
            corrections: components["schemas"]["TranscriptCorrections"] | null;
            data: {
                [key: string]: unknown;
            };
            /** @description The event stream it belongs to. */
            eventStream: string;
            /** Format: uuid */
            id: string;
            metadata: {
                [key: string]: unknown;
            };
            /** @description Position in the log. Opaque; sorts in log order. */
            position: string;
            /** @description Revision within the event stream, from 0. */
            revision: string;
            type: string;
        };
        SinkMessage: {
            /** @enum {string} */
            frameType: "final" | "partial";
            /** Format: uuid */
            groupId: string;
            headers: {
                [key: string]: unknown;
            };
            /** @description Id of the message within its sink. `resume` continues after it. */
            messageId: string;
            /** @description Payload in the form that `payloadSchema` names: text, or a `TranscriptionMessage`, `DiarizationMessage` or `LlmMessage`. Null if it was omitted on request. */
            payload: unknown;
            /** @description `bytes` (base64), `string`, or the fully qualified name of the schema of the payload. */
            payloadSchema: string;
            processorId: string;
            /**
             * Format: int64
             * @description Milliseconds since the epoch.
             */
            publishTimestamp: number;
            /**
             * Format: int64
             * @description Counts the final messages of the sink from 0. A partial message has the number that the next final one will have.
             */
            sequenceId: number;
            sinkTopicName: string;
            /** Format: uuid */
            streamId: string;
            tags: string[];
        };
        SlimEvent: {
            /** Format: uuid */
            groupId: string | null;
            links: components["schemas"]["SlimEventLinks"];
            /** @description The processor's id in the chain, for `processor.*`. */
            processorConfigurationId: string | null;
            /**
             * Format: uuid
             * @description The stream of the event, or the one that joined the group.
             */
            streamId: string | null;
            /**
             * Format: uuid
             * @description The owner. Null for a seal.
             */
            subject: string | null;
        };
        SlimEventLinks: {
            /** @description Path of the seal in the audit service. */
            event: string | null;
            /** @description Path of `findGroup`. */
            group: string | null;
            /** @description Path of `findStream`. */
            stream: string | null;
        };
        SlimWebhook: {
            /**
             * Format: uuid
             * @description Id of the event: the same on every attempt, and equal to the header `webhook-id`.
             */
            id: string;
            payload: components["schemas"]["SlimEvent"];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            payloadSchema: "tributary.events.v1.SlimEvent";
            /**
             * Format: int64
             * @description Time of the event, in milliseconds since the epoch.
             */
            timestamp: number;
            /** @enum {string} */
            type: "stream.ready" | "stream.completed" | "stream.failed" | "stream.expired" | "group.created" | "group.completed" | "group.failed" | "group.expired" | "group.stream-joined" | "gateway.connected" | "gateway.disconnected" | "gateway.closed" | "gateway.error" | "processor.running" | "processor.completed" | "processor.error" | "transcript.edited" | "audit.sealed";
            /** Format: uuid */
            webhookEndpointId: string;
        };
        Sort: {
            empty: boolean;
            sorted: boolean;
            unsorted: boolean;
        };
        /** @enum {string} */
        SortAttemptDesc: "attempt,desc";
        /** @enum {string} */
        SortCreatedTimestampDesc: "createdTimestamp,desc";
        /** @enum {string} */
        SortRequestedTimestampDesc: "requestedTimestamp,desc";
        /** @enum {string} */
        SortRevisionDesc: "revision,desc";
        SpeakerEdit: {
            /** @constant */
            op: "speaker";
            /** @description A speaker of the list, or a new id. */
            speaker: string;
            /** @description Id of an utterance. */
            utterance: string;
        };
        SplitEdit: {
            /** @constant */
            op: "split";
            /** @description Id of an utterance. */
            utterance: string;
            /**
             * Format: int64
             * @description Index of the first word of the second half.
             */
            word: number;
        };
        SpokenText: {
            /** @description Name of the speaker, otherwise `Speaker` and the id. Null without speakers. */
            speaker: string | null;
            text: string;
        };
        StageData: {
            /**
             * Format: int64
             * @description Null while the size is not known.
             */
            bytes: number | null;
            /** @description Whether the data can be read now. */
            kept: boolean;
            /** @description `bytes`, `string`, or the name of the schema of the messages. */
            messageSchema: string;
        };
        StageEngine: {
            model: string | null;
            name: string;
        };
        StageError: {
            /** @description What to do next. */
            advice: string;
            message: string | null;
            name: string;
        };
        StageMessage: {
            /** @enum {string} */
            frameType: "final" | "partial";
            headers: {
                [key: string]: unknown;
            };
            payload: unknown;
            payloadSchema: string;
            /** Format: int64 */
            sequenceId?: number;
        };
        StageQuantities: {
            /**
             * Format: int64
             * @description Bytes of output.
             */
            egressSize: number | null;
            /**
             * Format: int64
             * @description Milliseconds.
             */
            executionTime: number | null;
            /**
             * Format: int64
             * @description Bytes read.
             */
            ingressSize: number | null;
            /**
             * Format: int64
             * @description Milliseconds.
             */
            processedAudioLength: number | null;
            /** Format: int64 */
            processedInputTokens: number | null;
            /** Format: int64 */
            processedOutputTokens: number | null;
            /** Format: int64 */
            processedTokens: number | null;
            /**
             * Format: int64
             * @description Bytes kept.
             */
            storageSize: number | null;
        };
        /**
         * @description `WAITING`: for its input. `QUEUED`: for its turn. `CLOSED`: canceled, or behind a failed stage.
         * @enum {string}
         */
        StageState: "WAITING" | "QUEUED" | "RUNNING" | "WAITING_FOR_ENGINE" | "COMPLETED" | "FAILED" | "CLOSED";
        StageTimeline: {
            /** @description A decimal number of credits. Null until the stage has ended. */
            credits: string | null;
            /** @description Built-in processor, or `<declaration id>@<version>` of a processor of your own. */
            declarationId: string;
            description: string | null;
            /** Format: date-time */
            endedTimestamp: string | null;
            /** @description Null until it is known, which takes two seconds or the end of the stage, and for a stage without an engine. */
            engine: components["schemas"]["StageEngine"] | null;
            /** @description Null unless it failed. */
            error: components["schemas"]["StageError"] | null;
            input: components["schemas"]["StageData"];
            /** @enum {string} */
            mode: "batch" | "live";
            operationType: components["schemas"]["OperationType"];
            output: components["schemas"]["StageData"];
            /** @description Stage whose output it reads. Null reads the upload. */
            previousProcessorId: string | null;
            processorId: string;
            /** @description Null until the stage has ended. */
            quantities: components["schemas"]["StageQuantities"] | null;
            /**
             * Format: date-time
             * @description When its input was there.
             */
            queuedTimestamp: string | null;
            /**
             * Format: date-time
             * @description Start of the first try.
             */
            startedTimestamp: string | null;
            state: components["schemas"]["StageState"];
            tries: components["schemas"]["StageTry"][];
            /** @description Times in which it waited for its engine. */
            waits: components["schemas"]["EngineWait"][];
        };
        StageTry: {
            /** Format: int64 */
            number: number;
            /** Format: date-time */
            startedTimestamp: string;
        };
        /** @enum {string} */
        StatusClass: "1xx" | "2xx" | "3xx" | "4xx" | "5xx" | "none";
        StoreHealth: {
            detail: string;
            name: string;
            ok: boolean;
        };
        StreamAttempt: {
            /** Format: int64 */
            attempt: number;
            /** Format: date-time */
            endedTimestamp: string | null;
            /** @description Stage that a rerun began with; null runs the whole chain. */
            from: string | null;
            /** @description What the caller gave as its reason. */
            reason: string | null;
            /** Format: date-time */
            startedTimestamp: string;
            /** @enum {string} */
            state: "READY" | "COMPLETED" | "FAILED";
            stateDescription: string | null;
        };
        StreamComponents: {
            /** @description What to do about the failure of the stream. Null unless it failed. */
            advice: string | null;
            /** Format: int64 */
            attempt: number;
            /** @description Every attempt of the stream, oldest first. */
            attempts: components["schemas"]["StreamAttempt"][];
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
            /** @description Map from processor id to the sink that is its destination. */
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
            origin: components["schemas"]["TemplateOrigin"];
            /** @description Map from alias to path. */
            patchAliases: {
                [key: string]: string;
            };
            processors: components["schemas"]["TemplateProcessor"][];
            runnable: components["schemas"]["TemplateRunnable"];
            /** Format: int32 */
            version: number;
        };
        StreamConfigurationTemplatePage: {
            content: components["schemas"]["StreamConfigurationTemplate"][];
            empty: boolean;
            first: boolean;
            last: boolean;
            /**
             * Format: int32
             * @description Number of this page, from 0.
             */
            number: number;
            /** Format: int32 */
            numberOfElements: number;
            pageable: components["schemas"]["Pageable"];
            /** Format: int32 */
            size: number;
            sort: components["schemas"]["Sort"];
            /** Format: int64 */
            totalElements: number;
            /** Format: int32 */
            totalPages: number;
        };
        StreamDescription: {
            labels?: string[];
            name?: string;
        };
        StreamEvent: {
            /** @description The credential, policy or processor that caused it. */
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
        /** @description Which streams are changed. At least one member. */
        StreamFilterDraft: {
            /** @description Only FAILED streams whose first failed stage has this error name, such as `PROCESSOR_GENERAL_ERROR`. */
            errorName?: string | null;
            /**
             * Format: uuid
             * @description Only streams of this group.
             */
            groupId?: string | null;
            /** @description Only streams with all of these labels. */
            label?: string[] | null;
            /**
             * @description Only streams created at this time or later. ISO 8601; UTC without an offset.
             * @example 2026-03-01T00:00:00Z
             */
            since?: string | null;
            /**
             * @description Absent: streams in any state.
             * @enum {string|null}
             */
            state?: "READY" | "COMPLETED" | "FAILED" | "EXPIRED" | null;
            /** @description Only streams that use this template, by its id or name. */
            streamConfigurationTemplateId?: string | null;
            /**
             * @description Only streams created at this time or earlier. ISO 8601; UTC without an offset.
             * @example 2026-03-01T00:00:00Z
             */
            until?: string | null;
        };
        StreamGatewayStateEvent: {
            gatewayHost: string | null;
            state: components["schemas"]["GatewayState"];
            /** Format: uuid */
            streamId: string;
            /**
             * Format: uuid
             * @description The owner.
             */
            subject: string;
        };
        StreamGatewayStateWebhook: {
            /**
             * Format: uuid
             * @description Id of the event: the same on every attempt, and equal to the header `webhook-id`.
             */
            id: string;
            payload: components["schemas"]["StreamGatewayStateEvent"];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            payloadSchema: "tributary.events.v1.StreamGatewayStateEvent";
            /**
             * Format: int64
             * @description Time of the event, in milliseconds since the epoch.
             */
            timestamp: number;
            /** @enum {string} */
            type: "gateway.connected" | "gateway.disconnected" | "gateway.closed" | "gateway.error";
            /** Format: uuid */
            webhookEndpointId: string;
        };
        StreamLabelsDraft: {
            /** @description Labels that the streams get. */
            add?: string[] | null;
            filter?: components["schemas"]["StreamFilterDraft"];
            /** @description Labels that the streams lose. */
            remove?: string[] | null;
            /** @description Ids of your streams, instead of a filter. */
            streams?: string[] | null;
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
            /** @description Reason, or null. */
            details: string | null;
            /** @description The processor's id in the chain. */
            processorConfigurationId: string;
            state: components["schemas"]["ProcessorState"];
            /** Format: uuid */
            streamId: string;
            /**
             * Format: uuid
             * @description The owner.
             */
            subject: string;
        };
        StreamProcessorStateWebhook: {
            /**
             * Format: uuid
             * @description Id of the event: the same on every attempt, and equal to the header `webhook-id`.
             */
            id: string;
            payload: components["schemas"]["StreamProcessorStateEvent"];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            payloadSchema: "tributary.events.v1.StreamProcessorStateEvent";
            /**
             * Format: int64
             * @description Time of the event, in milliseconds since the epoch.
             */
            timestamp: number;
            /** @enum {string} */
            type: "processor.running" | "processor.completed" | "processor.error";
            /** Format: uuid */
            webhookEndpointId: string;
        };
        StreamRetention: {
            /**
             * Format: date-time
             * @description The latest time that the owner may ask for. Null without a bound, and once the stream has expired.
             */
            latest: string | null;
            /** Format: uuid */
            streamId: string;
            /**
             * Format: date-time
             * @description When the data are deleted. Live readers keep ephemeral data longer. Null if they are kept until someone deletes them, while the stream runs, unless its owner asked for a time, and once it has expired.
             */
            until: string | null;
        };
        StreamRetentionDraft: {
            /** @description ISO 8601; UTC without an offset. Null: until you delete the stream. */
            until: string | null;
        };
        StreamsChanged: {
            /**
             * Format: int64
             * @description Streams that were not like this before.
             */
            changed: number;
            /**
             * Format: int64
             * @description Streams that were selected.
             */
            matched: number;
        };
        /**
         * @default INCLUDE
         * @enum {string}
         */
        StreamsInclusion: "INCLUDE" | "EXCLUDE";
        StreamsRetentionDraft: {
            filter?: components["schemas"]["StreamFilterDraft"];
            /** @description Ids of your streams, instead of a filter. */
            streams?: string[] | null;
            /** @description ISO 8601; UTC without an offset. Null: until you delete the stream. */
            until: string | null;
        };
        /** @enum {string} */
        StreamState: "READY" | "COMPLETED" | "FAILED" | "EXPIRED";
        StreamStateEvent: {
            dynamicWebhookEndpoints: components["schemas"]["WebhookEndpoint"][];
            /** Format: uuid */
            groupId: string;
            state: components["schemas"]["StreamState"];
            stream: components["schemas"]["MediaStream"];
            /** Format: uuid */
            streamId: string;
            /**
             * Format: uuid
             * @description The owner.
             */
            subject: string;
        };
        StreamStateWebhook: {
            /**
             * Format: uuid
             * @description Id of the event: the same on every attempt, and equal to the header `webhook-id`.
             */
            id: string;
            payload: components["schemas"]["StreamStateEvent"];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            payloadSchema: "tributary.events.v1.StreamStateEvent";
            /**
             * Format: int64
             * @description Time of the event, in milliseconds since the epoch.
             */
            timestamp: number;
            /** @enum {string} */
            type: "stream.ready" | "stream.completed" | "stream.failed" | "stream.expired";
            /** Format: uuid */
            webhookEndpointId: string;
        };
        StreamTranscript: {
            /**
             * Format: int64
             * @description The attempt of the stream that made the transcription.
             */
            attempt: number;
            /** @description Length of the recording. */
            duration: number;
            language: string | null;
            /**
             * Format: int64
             * @description 0: as the machine wrote it. Every edit and every undo makes the next one.
             */
            revision: number;
            speakers: components["schemas"]["TranscriptSpeaker"][];
            /** Format: uuid */
            streamId: string;
            utterances: components["schemas"]["TranscriptUtterance"][];
        };
        StreamUsage: {
            /** Format: uuid */
            creatorId: string;
            /** @description Currency of the amounts in `credits`. Null if they are credits. */
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
        System: {
            /** @description Disk of DATA_DIR. Null in the cluster form, whose bytes lie in MongoDB. */
            disk: components["schemas"]["DiskState"] | null;
            /** @enum {string} */
            form: "embedded" | "cluster";
            /** @description Newest backup made with `tributary backup`. Null: none, or the cluster form. */
            lastBackup: components["schemas"]["BackupState"] | null;
            /** @description Version of Node.js. */
            nodeVersion: string;
            queues: components["schemas"]["NodeQueues"];
            /** Format: date-time */
            startedTimestamp: string;
            /** @description Version of Tributary. */
            version: string;
        };
        /**
         * @default ANY
         * @enum {string}
         */
        TagMatch: "ALL" | "ANY";
        TemplateDraft: {
            /** @description `bytes` (default) or `string`. */
            dataSourceSchema?: string | null;
            description?: string | null;
            /** @description Id of the template to replace. Absent, null or empty creates one. */
            id?: string | null;
            name: string;
            /** @description Map from alias to path. */
            patchAliases?: {
                [key: string]: string;
            } | null;
            processors?: components["schemas"]["TemplateProcessorDraft"][] | null;
        };
        /** @enum {string} */
        TemplateLayer: "builtin" | "shipped";
        /**
         * @description Set by the platform. `copy`: the caller's private overlay of the built-in template of this id.
         * @enum {string}
         */
        TemplateOrigin: "built-in" | "copy" | "own";
        TemplatePatches: {
            jsonPatches: components["schemas"]["PatchOperation"][];
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
            /** @description Map from alias to path. */
            patchAliases: {
                [key: string]: string;
            };
            /** @description Null if the processor reads the data source. */
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
            /** @description Map from alias to path. */
            patchAliases?: {
                [key: string]: string;
            } | null;
            /** @description Id of the processor whose output it reads. Null or absent: it reads the data source. */
            previousProcessorId?: string | null;
            processorDeclaration?: {
                id?: string | null;
            } | null;
            /** @description Id of its declaration. You can give `processorDeclaration` instead, as GET returned it. */
            processorDeclarationId?: string | null;
            /** @description In the form of the declaration's `propertiesJsonSchema`. */
            properties?: {
                [key: string]: unknown;
            } | null;
            sourceSubscriptionHeaders?: {
                [key: string]: unknown;
            } | null;
        };
        /** @description Set by the platform. Whether this server has an engine for every processor now. Not part of the ETag. */
        TemplateRunnable: {
            ok: boolean;
            /** @description What an upload would be refused with. Null when ok. */
            reason: string | null;
        };
        /** @enum {string} */
        TemplateScope: "builtin";
        TextEdit: {
            /** @constant */
            op: "text";
            /** @description Empty: removes the utterance. */
            text: string;
            /** @description Id of an utterance. */
            utterance: string;
        };
        Token: {
            access_token: string;
            /**
             * Format: int64
             * @description Seconds.
             */
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
            grant_type: components["schemas"]["GrantType"];
        };
        TranscribedWord: {
            confidence: number | null;
            end: number | null;
            language: string | null;
            /** @description `speakers` and `speakersOverlap` are present after a diarization. */
            metadata: {
                [key: string]: unknown;
            };
            start: number | null;
            word: string;
        };
        TranscriptCorrections: {
            /**
             * Format: int64
             * @description How many utterances differ.
             */
            changed: number;
            /** @description Speakers whose name changed. */
            speakers: components["schemas"]["RenamedSpeaker"][];
            /** @description The first 200 of them, in spoken order. */
            utterances: components["schemas"]["CorrectedUtterance"][];
        };
        TranscriptEdit: components["schemas"]["TextEdit"] | components["schemas"]["SpeakerEdit"] | components["schemas"]["NameEdit"] | components["schemas"]["JoinEdit"] | components["schemas"]["SplitEdit"] | components["schemas"]["MergeEdit"] | components["schemas"]["ReplaceEdit"];
        TranscriptEditedEvent: {
            /**
             * Format: int64
             * @description The attempt of the stream that made the transcription.
             */
            attempt: number;
            /** Format: uuid */
            groupId: string;
            /**
             * Format: int64
             * @description The new revision.
             */
            revision: number;
            /** Format: uuid */
            streamId: string;
            /**
             * Format: uuid
             * @description The owner.
             */
            subject: string;
        };
        TranscriptEditedWebhook: {
            /**
             * Format: uuid
             * @description Id of the event: the same on every attempt, and equal to the header `webhook-id`.
             */
            id: string;
            payload: components["schemas"]["TranscriptEditedEvent"];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            payloadSchema: "tributary.events.v1.TranscriptEditedEvent";
            /**
             * Format: int64
             * @description Time of the event, in milliseconds since the epoch.
             */
            timestamp: number;
            /** @enum {string} */
            type: "transcript.edited";
            /** Format: uuid */
            webhookEndpointId: string;
        };
        TranscriptEditRecord: {
            /** @description The credential or the person that made it. */
            actor: string;
            /** @description Its label, or the name of the person. Null once erased. */
            actorName: string | null;
            /** @description Null once the data of the stream are deleted. */
            edits: components["schemas"]["TranscriptEdit"][] | null;
            /**
             * Format: int64
             * @description The revision that it made.
             */
            revision: number;
            /** Format: date-time */
            time: string;
            /** @description Whether an undo has taken it back. */
            undone: boolean;
        };
        TranscriptEditRecordPage: {
            content: components["schemas"]["TranscriptEditRecord"][];
            empty: boolean;
            first: boolean;
            last: boolean;
            /**
             * Format: int32
             * @description Number of this page, from 0.
             */
            number: number;
            /** Format: int32 */
            numberOfElements: number;
            pageable: components["schemas"]["Pageable"];
            /** Format: int32 */
            size: number;
            sort: components["schemas"]["Sort"];
            /** Format: int64 */
            totalElements: number;
            /** Format: int32 */
            totalPages: number;
        };
        TranscriptEdits: {
            /** @description Applied in order, all or none. */
            edits: components["schemas"]["TranscriptEdit"][];
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
            /** @description Whether this message is a whole utterance. */
            utterance: boolean;
            words: components["schemas"]["TranscribedWord"][];
        };
        TranscriptSpeaker: {
            id: string;
            name: string | null;
        };
        TranscriptUtterance: {
            channel: string | null;
            /** @description Whether a person changed it. */
            edited: boolean;
            end: number | null;
            /** @description Stays the same over edits. */
            id: string;
            /** @description Id of the speaker. Null without speakers. */
            speaker: string | null;
            start: number | null;
            text: string;
            words: components["schemas"]["TranscriptWord"][];
        };
        TranscriptWord: {
            /** @description Null for a word that a person wrote. */
            confidence: number | null;
            end: number | null;
            start: number | null;
            /** @description With its leading space: joined, the words are the text. */
            word: string;
        };
        UploadConfiguration: {
            /** @description Map from alias or path to value. As in the query, text with a leading `+` adds, `-` removes, and `\` escapes a leading + or -. */
            patches?: {
                [key: string]: unknown;
            };
            /** @description Map from URL to the event types it receives. At most 3 URLs. */
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
            /** Format: int64 */
            streamsCount: number;
        };
        /**
         * @default DAYS
         * @enum {string}
         */
        UsageGranularity: "HOURS" | "DAYS" | "MONTHS";
        UsageReport: {
            aggregatedMeasurements: components["schemas"]["UsageAggregate"][];
            /** @description Currency of the amounts in `credits`. Null if they are credits. */
            currency: string | null;
            /** Format: date-time */
            endTimestamp: string;
            granularity: components["schemas"]["UsageGranularity"];
            operationTypeAggregatedMeasurements: components["schemas"]["UsageAggregate"][];
            /** Format: date-time */
            startTimestamp: string;
            streamConfigurationTemplateIdAggregatedMeasurements: components["schemas"]["UsageAggregate"][];
            totalMeasurements: components["schemas"]["UsageAggregate"];
        };
        User: {
            /** @description Role that an administrator chose, also while one of the identity provider counts. */
            chosenRole: components["schemas"]["Role"] | null;
            /** Format: date-time */
            createdTimestamp: string;
            /** @description Since the first day of this month (UTC), decimal text with up to 6 decimals. */
            creditsOfMonth: string;
            disabled: boolean;
            email: string | null;
            id: string;
            /**
             * Format: int64
             * @description Bytes that its streams keep.
             */
            keptBytes: number;
            /**
             * @description `owner`: an owner of credentials who never signed in.
             * @enum {string}
             */
            kind: "person" | "owner";
            /**
             * Format: date-time
             * @description Last use of a session or a credential, to the minute; of a person only their sessions and the keys that they issued.
             */
            lastUsedTimestamp: string | null;
            /** @description Of the person, or label of the first credential. Null once erased. */
            name: string | null;
            /** @description Names of the other people who are linked to the subject. They are erased with it. */
            others: string[];
            /** @description Name of the subject that the person is linked to. Null for their own, and once erased. */
            ownerName: string | null;
            /** @description Null: may not sign in, or has no credential. */
            role: components["schemas"]["Role"] | null;
            /**
             * @description Source of the role of a person. The first in this order counts.
             * @enum {string|null}
             */
            roleSource: "claim" | "administrator" | "settings" | null;
            /**
             * Format: int64
             * @description Streams of the subject.
             */
            streams: number;
            /** @description Owner of what the user does. Differs from `id` for a person who is linked to another owner. */
            subject: string;
        };
        UserChange: {
            /** @description Ends all sessions and revokes the keys of the person. */
            disabled?: boolean;
            /** @description Null: the role of the settings. A role is 409 if the identity provider gives one. */
            role?: components["schemas"]["Role"] | null;
            /** @description Owner whose library becomes the person's. Their own is their id. Ends their sessions and revokes the keys they issued. */
            subject?: string;
        };
        UserPage: {
            content: components["schemas"]["User"][];
            empty: boolean;
            first: boolean;
            last: boolean;
            /**
             * Format: int32
             * @description Number of this page, from 0.
             */
            number: number;
            /** Format: int32 */
            numberOfElements: number;
            pageable: components["schemas"]["Pageable"];
            /** Format: int32 */
            size: number;
            sort: components["schemas"]["Sort"];
            /** Format: int64 */
            totalElements: number;
            /** Format: int32 */
            totalPages: number;
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
            /**
             * Format: int64
             * @description Number of events checked.
             */
            checked: number;
            firstBroken: components["schemas"]["BrokenEvent"] | null;
            /** @description Position of the last event of the log then. */
            head: string | null;
            /** @description Sentences on what does not break the log, such as events of other programs. */
            notes: string[];
            ok: boolean;
            seal: components["schemas"]["NewestSeal"] | null;
            /** @description Log position up to which seals cover every event. */
            sealed: string | null;
            /**
             * Format: date-time
             * @description When the verification began.
             */
            verifiedTimestamp: string;
        };
        Vocabulary: {
            /** Format: date-time */
            createdTimestamp: string;
            /** Format: uuid */
            id: string;
            name: string;
            replacements: {
                [key: string]: string;
            };
            terms: string[];
            /** Format: date-time */
            updatedTimestamp: string;
        };
        VocabularyDraft: {
            /** @description The vocabulary to replace. Absent: creates one. */
            id?: string | null;
            /** @description Unique among your vocabularies, without case. */
            name: string;
            /**
             * @description What an engine writes, and what replaces it: whole words, compared without case. An empty text removes them.
             * @default {}
             */
            replacements: {
                [key: string]: string;
            };
            /**
             * @description Words and phrases to expect.
             * @default []
             */
            terms: string[];
        };
        WebhookDelivery: {
            attempts: components["schemas"]["DeliveryAttempt"][];
            /** Format: date-time */
            deadline: string;
            /** Format: uuid */
            deliveryId: string;
            /**
             * Format: uuid
             * @description `webhook-id` of every attempt.
             */
            eventId: string;
            /**
             * Format: uuid
             * @description Group it is about. Null for events of streams and for pings.
             */
            groupId: string | null;
            /** Format: date-time */
            nextAttempt: string | null;
            /**
             * Format: int64
             * @description Number of the delivery to this endpoint. Null for a ping.
             */
            sequence: number | null;
            state: components["schemas"]["DeliveryState"];
            /**
             * Format: uuid
             * @description Stream it is about. Null for events of groups and for pings.
             */
            streamId: string | null;
            type: string;
        };
        WebhookDeliveryPage: {
            content: components["schemas"]["WebhookDelivery"][];
            empty: boolean;
            first: boolean;
            last: boolean;
            /**
             * Format: int32
             * @description Number of this page, from 0.
             */
            number: number;
            /** Format: int32 */
            numberOfElements: number;
            pageable: components["schemas"]["Pageable"];
            /** Format: int32 */
            size: number;
            sort: components["schemas"]["Sort"];
            /** Format: int64 */
            totalElements: number;
            /** Format: int32 */
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
            /** @description Event types and wildcards, as given. */
            events: components["schemas"]["WebhookEventFilter"][];
            /** @description What events must contain. Null: no filter. Absent on dynamic webhooks. */
            filter?: {
                [key: string]: unknown;
            } | null;
            /** @description Headers of your own, with `***` for each value. Absent on dynamic webhooks. */
            headers?: {
                [key: string]: string;
            };
            health?: components["schemas"]["WebhookHealth"];
            /** Format: uuid */
            id: string;
            /**
             * @description `slim`: bodies hold ids and links instead of the stream or group. Absent on dynamic webhooks, which are always full.
             * @enum {string}
             */
            payload?: "full" | "slim";
            /**
             * Format: int32
             * @description How long deliveries are retried, in seconds. Absent on dynamic webhooks.
             */
            retryWindow?: number;
            /**
             * Format: uuid
             * @description Owner. Only in a list of all users.
             */
            subject?: string;
            /** Format: uri */
            url: string;
        };
        WebhookEndpointDraft: {
            description?: string | null;
            /** @description Default: true. */
            enabled?: boolean | null;
            /** @description Event types, or the wildcards * and <resource>.* */
            events: components["schemas"]["WebhookEventFilter"][];
            /** @description Only events in which every path (`payload.stream.name`) has this value, one of a list of values, or text with this `{"prefix": ""}`. Null also fits an absent member. Absent: the present filter stays. Null: none. */
            filter?: {
                [key: string]: unknown;
            } | null;
            /** @description Headers of your own, sent with every attempt. `***` keeps the value that is there. Absent: the present ones stay. Null: none. */
            headers?: {
                [key: string]: string;
            } | null;
            /**
             * Format: uuid
             * @description Id of the endpoint to replace. Absent or null creates one.
             */
            id?: string | null;
            /**
             * @description `slim` sends ids and links instead of the stream or group. Default: that of the replaced endpoint, else `full`.
             * @enum {string|null}
             */
            payload?: "full" | "slim" | null;
            /**
             * Format: int32
             * @description How long deliveries are retried, in seconds: 3600 to 604800. Absent: the present value stays. Null: the setting of the server, which is shown.
             */
            retryWindow?: number | null;
            /**
             * Format: uri
             * @description An http or https URL. An address in a private network needs the setting WEBHOOK_ALLOW_CIDRS of the server.
             */
            url: string;
        };
        WebhookEvent: components["schemas"]["StreamStateWebhook"] | components["schemas"]["GroupStateChangedWebhook"] | components["schemas"]["GroupStreamJoinedWebhook"] | components["schemas"]["StreamGatewayStateWebhook"] | components["schemas"]["StreamProcessorStateWebhook"] | components["schemas"]["TranscriptEditedWebhook"] | components["schemas"]["LogSealedWebhook"] | components["schemas"]["EndpointHealthWebhook"] | components["schemas"]["PingWebhook"] | components["schemas"]["SlimWebhook"];
        /** @enum {string} */
        WebhookEventFilter: "stream.ready" | "stream.completed" | "stream.failed" | "stream.expired" | "group.created" | "group.completed" | "group.failed" | "group.expired" | "group.stream-joined" | "gateway.connected" | "gateway.disconnected" | "gateway.closed" | "gateway.error" | "processor.running" | "processor.completed" | "processor.error" | "transcript.edited" | "endpoint.failing" | "endpoint.recovered" | "endpoint.disabled" | "*" | "stream.*" | "group.*" | "gateway.*" | "processor.*" | "audit.sealed";
        /** @enum {string} */
        WebhookEventType: "stream.ready" | "stream.completed" | "stream.failed" | "stream.expired" | "group.created" | "group.completed" | "group.failed" | "group.expired" | "group.stream-joined" | "gateway.connected" | "gateway.disconnected" | "gateway.closed" | "gateway.error" | "processor.running" | "processor.completed" | "processor.error" | "transcript.edited" | "endpoint.failing" | "endpoint.recovered" | "endpoint.disabled" | "audit.sealed";
        /** @description Computed from the recorded attempts. It changes without the ETag. Absent on dynamic webhooks. */
        WebhookHealth: {
            /** Format: date-time */
            lastFailure: string | null;
            /** Format: date-time */
            lastSuccess: string | null;
            /**
             * Format: date-time
             * @description When a held endpoint gets its next attempt. Null: nothing is pending.
             */
            nextProbe: string | null;
            /** @description Of the last failure, or why it is disabled. */
            reason: string | null;
            /**
             * Format: date-time
             * @description When the state began; of `held`, the first failure.
             */
            since: string | null;
            state: components["schemas"]["WebhookHealthState"];
        };
        /**
         * @description `failing`: the last attempt failed. `held`: at least WEBHOOK_HOLD_FAILURES have failed in a row at its origin, which it may share with other endpoints, so one attempt is made there in WEBHOOK_HOLD_S. `unknown`: no attempt yet since it was created, enabled or given its URL.
         * @enum {string}
         */
        WebhookHealthState: "healthy" | "failing" | "held" | "disabled" | "unknown";
        WebhookSecret: {
            /** @description `whsec_` and the base64 of 32 bytes, as Standard Webhooks has it. */
            secret: string;
        };
        WebhookTest: {
            /** Format: uuid */
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
            /** @description Includes its leading space: the words joined without separator are the text. */
            word: string;
        };
        /** @enum {string} */
        ZipFormat: "JSON" | "TEXT" | "SRT" | "VTT" | "DOCX" | "MD" | "CSV";
    };
    responses: {
        /** @description A parameter, the body or the request itself is not valid. */
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
        /** @description The caller lacks the role, or is not the owner. */
        Forbidden: {
            headers: {
                "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorResponse"];
            };
        };
        /** @description Internal error. */
        InternalServerError: {
            headers: {
                "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorResponse"];
            };
        };
        /** @description Not found, or not visible to the caller. */
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
        /** @description A store is unavailable, or the server is stopping. */
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
        /** @description Too many wrong credentials or requests. */
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
        /** @description No credential or a wrong one. */
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
        /** @description Range requests are supported. */
        "Accept-Ranges": "bytes";
        /**
         * @description Name of the file.
         * @example attachment; filename="Call.srt"
         */
        "Content-Disposition": string;
        /**
         * @description The range returned, and the total number of bytes.
         * @example bytes 0-1023/4096
         */
        "Content-Range": string;
        /** @description Version of this state, for If-Match, If-None-Match or If-Range. */
        ETag: string;
        /** @description URL of the new resource. */
        Location: string;
        /**
         * @description Remaining quota: the limit's name, `r` requests left, `t` seconds until it resets (draft-ietf-httpapi-ratelimit-headers).
         * @example "wrong-credentials";r=99;t=60
         */
        RateLimit: string;
        /**
         * @description The limit: its name, `q` requests allowed, `w` window in seconds (absent for concurrent requests).
         * @example "concurrent-streams";q=1000
         */
        "RateLimit-Policy": string;
        /** @description Seconds to wait before repeating the request. */
        "Retry-After": number;
        /** @description The cookie of the session: HttpOnly, SameSite=Lax, and on https Secure. */
        "Set-Cookie": string;
        /** @description `pending`: durable, but a read model does not show it yet. Send Tributary-Position as Tributary-After with later reads. */
        "Tributary-Consistency": "pending";
        /** @description Log position that is not shown yet. Only present with Tributary-Consistency. */
        "Tributary-Position": string;
        /** @description How often `replace` found its text. */
        "Tributary-Replaced": number;
        /** @description Page of the identity provider where a person who has ended this session here can sign out too. */
        "Tributary-Sign-Out": string;
        /** @description Id of the stream that the upload becomes. */
        "Tributary-Stream-Id": string;
        /** @description Version of the tus protocol. */
        "Tus-Resumable": "1.0.0";
        /** @description The protocol this path needs. */
        Upgrade: string;
        /** @description When the upload ends unless more bytes arrive (RFC 9110, 5.6.7). */
        "Upload-Expires": string;
        /** @description Bytes in all. */
        "Upload-Length": number;
        /** @description As it was sent at the creation. */
        "Upload-Metadata": string;
        /** @description Bytes that have arrived. */
        "Upload-Offset": number;
        /** @description How to authenticate (RFC 9110, 11.6.1). */
        "WWW-Authenticate": string;
        /** @description Id of the request in the logs and in the events it caused. If you send one, it is used. */
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
                /** @description A second moment. `difference` is the JSON Patch (RFC 6902) from `state` to the state at that moment. */
                compareWith?: string;
            };
            header?: {
                /**
                 * @description The Tributary-Position of an earlier answer. The read waits until its data include that position, or answers 503.
                 * @example 00000000000000000000
                 */
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
            /** @description The state at that point. Personal members that are `null` have been erased. */
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
            /** @description The event stream is damaged and cannot be folded. `verify` says where. */
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
    findEventTypes: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The Tributary-Position of an earlier answer. The read waits until its data include that position, or answers 503.
                 * @example 00000000000000000000
                 */
                "Tributary-After"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Every category that this version writes. */
            200: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventKind"][];
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
    findEvents: {
        parameters: {
            query?: {
                /** @description Only events after this log position, in the requested order. */
                after?: string;
                /** @description Only event streams of this category: the part of the name before the first `-`. */
                category?: string;
                /** @description Only events caused by this request. */
                correlationId?: string;
                /** @description Only events of this event stream. */
                eventStream?: string;
                /** @description No event streams of this category. Repeat it for several. */
                exclude?: string[];
                /** @description With NDJSON: also sends new events as they are appended, oldest first, for up to ten minutes. Begins after `after`, or with the next event. */
                follow?: boolean;
                /** @description `stored`: the stored form that the hashes cover, with personal members encrypted and old versions not upcast. */
                form?: components["schemas"]["LogEventForm"];
                /** @description Only events at or after this ISO 8601 time. */
                from?: string;
                /** @description Order of the log. */
                order?: components["schemas"]["LogOrder"];
                /** @description Events per page (default 100). For NDJSON, events in total (default: all). */
                size?: number;
                /** @description Only events of this owner. */
                subject?: string;
                /** @description Only events at or before this ISO 8601 time. */
                to?: string;
                /** @description Only events of this type. */
                type?: string;
            };
            header?: {
                /**
                 * @description The Tributary-Position of an earlier answer. The read waits until its data include that position, or answers 503.
                 * @example 00000000000000000000
                 */
                "Tributary-After"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description `next` is the `after` of the next page, null on the last one. With `Accept: application/x-ndjson`, one event per line. */
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
                /**
                 * @description The Tributary-Position of an earlier answer. The read waits until its data include that position, or answers 503.
                 * @example 00000000000000000000
                 */
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
            /** @description The event, with the credential that caused it. */
            200: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SingleLogEvent"];
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
    exportSeals: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The Tributary-Position of an earlier answer. The read waits until its data include that position, or answers 503.
                 * @example 00000000000000000000
                 */
                "Tributary-After"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description NDJSON. */
            200: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": components["schemas"]["SealLine"];
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
    eraseSubject: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Subject of the person's credentials.
                 * @example 3c9d2e7f-8a1b-4c6d-b5e4-f2a1908d7c6b
                 */
                subject: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Report of what was destroyed. A second call returns zeros. */
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
                /** @description Verify only this event stream. */
                eventStream?: string;
            };
            header?: {
                /**
                 * @description The Tributary-Position of an earlier answer. The read waits until its data include that position, or answers 503.
                 * @example 00000000000000000000
                 */
                "Tributary-After"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result, also when something is broken. */
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
                /** @description Items per page. */
                size?: number;
                /** @description The one order of this list. It has it without the parameter too. */
                sort?: components["schemas"]["SortCreatedTimestampDesc"];
                /** @description Owner of the credentials; `*`: all owners. Default: the caller's, and those that the caller issued. */
                subject?: string;
            };
            header?: {
                /**
                 * @description The Tributary-Position of an earlier answer. The read waits until its data include that position, or answers 503.
                 * @example 00000000000000000000
                 */
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
                    "Tributary-Consistency": components["headers"]["Tributary-Consistency"];
                    "Tributary-Position": components["headers"]["Tributary-Position"];
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
                /**
                 * @description The Tributary-Position of an earlier answer. The read waits until its data include that position, or answers 503.
                 * @example 00000000000000000000
                 */
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
                    "Tributary-Consistency": components["headers"]["Tributary-Consistency"];
                    "Tributary-Position": components["headers"]["Tributary-Position"];
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
                /**
                 * @description The Tributary-Position of an earlier answer. The read waits until its data include that position, or answers 503.
                 * @example 00000000000000000000
                 */
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
                    "Tributary-Consistency": components["headers"]["Tributary-Consistency"];
                    "Tributary-Position": components["headers"]["Tributary-Position"];
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
    listSessions: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The Tributary-Position of an earlier answer. The read waits until its data include that position, or answers 503.
                 * @example 00000000000000000000
                 */
                "Tributary-After"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Your sessions. */
            200: {
                headers: {
                    "Tributary-Consistency": components["headers"]["Tributary-Consistency"];
                    "Tributary-Position": components["headers"]["Tributary-Position"];
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        content: components["schemas"]["Session"][];
                    };
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
    endSessions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Ended. */
            204: {
                headers: {
                    /** @description The cookie of the session: HttpOnly, SameSite=Lax, and on https Secure. */
                    "Set-Cookie"?: string;
                    "Tributary-Consistency": components["headers"]["Tributary-Consistency"];
                    "Tributary-Position": components["headers"]["Tributary-Position"];
                    /** @description Page of the identity provider where a person who has ended this session here can sign out too. */
                    "Tributary-Sign-Out"?: string;
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    endSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The session.
                 * @example a4e6c2b8-5d1f-4c3a-9b7e-6f8d0a2c4e16
                 */
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Ended. */
            204: {
                headers: {
                    /** @description The cookie of the session: HttpOnly, SameSite=Lax, and on https Secure. */
                    "Set-Cookie"?: string;
                    "Tributary-Consistency": components["headers"]["Tributary-Consistency"];
                    "Tributary-Position": components["headers"]["Tributary-Position"];
                    /** @description Page of the identity provider where a person who has ended this session here can sign out too. */
                    "Tributary-Sign-Out"?: string;
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
    listUsers: {
        parameters: {
            query?: {
                /** @description Page number, from 0. */
                page?: number;
                /** @description Items per page. */
                size?: number;
                /** @description The one order of this list. It has it without the parameter too. */
                sort?: components["schemas"]["SortCreatedTimestampDesc"];
            };
            header?: {
                /**
                 * @description The Tributary-Position of an earlier answer. The read waits until its data include that position, or answers 503.
                 * @example 00000000000000000000
                 */
                "Tributary-After"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of users. */
            200: {
                headers: {
                    "Tributary-Consistency": components["headers"]["Tributary-Consistency"];
                    "Tributary-Position": components["headers"]["Tributary-Position"];
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserPage"];
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
    changeUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The person.
                 * @example 8d0c2b6e-4a5f-5e1d-9c3b-7f6a8e2d1c40
                 */
                userId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UserChange"];
            };
        };
        responses: {
            /** @description Changed. */
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
            408: components["responses"]["RequestTimeout"];
            /** @description The role comes from the identity provider, or the owner was erased. */
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
    getDocs: {
        parameters: {
            query?: {
                /** @description Words to search the documents for. */
                q?: string;
            };
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
                /** @description Whether to include partial results. */
                acceptFrameType?: components["schemas"]["AcceptedFrameTypes"];
                /** @description Number of streams of the group, in order of creation, when no stream is listed. Default: all that exist. */
                count?: number;
                /** @description Omits messages whose payload is null or empty. */
                excludeNoPayload?: boolean;
                /** @description NDJSON (also called EVENTS): one JSON line per message. RAW: only the payloads; for sinks of bytes or text, the bytes themselves. */
                format?: components["schemas"]["LiveFormat"];
                /** @description Group of the streams. */
                group?: string;
                /** @description Whether a sink must have all of the tags or at least one. */
                matchTags?: components["schemas"]["TagMatch"];
                /** @description Returns null for every payload. Not with RAW. */
                omitPayload?: boolean;
                /** @description `sinkTopicName=messageId`: continues after this message of the sink. Repeat it for several sinks. */
                resume?: string[];
                /** @description Same as `streams`. If both are given, they are combined. */
                streamIds?: string[];
                /**
                 * @description Stream ids, repeated or comma-separated. Streams of other users, which administrators see, must belong to one group.
                 * @example [
                 *       "0f1e2d3c-4b5a-4978-8a96-a5b4c3d2e1f0"
                 *     ]
                 */
                streams?: string[];
                /** @description Whether `streams` lists the streams to include or to exclude. EXCLUDE needs `group` and `count`. */
                streamsInclusion?: components["schemas"]["StreamsInclusion"];
                /** @description Tags of the sinks, repeated or comma-separated. Default: main. */
                tags?: string[];
                /** @description Milliseconds to wait for the streams to be created. Default and maximum: the server's limit. */
                timeout?: number;
            };
            header?: {
                /**
                 * @description The Tributary-Position of an earlier answer. The read waits until its data include that position, or answers 503.
                 * @example 00000000000000000000
                 */
                "Tributary-After"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One JSON line per message, or the bytes with RAW. Headers are sent once the streams exist. */
            200: {
                headers: {
                    "Tributary-Consistency": components["headers"]["Tributary-Consistency"];
                    "Tributary-Position": components["headers"]["Tributary-Position"];
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
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
                /** @description Shows the stream as it was in this attempt: 1 is the upload. Default: the newest run of each stage; for results, the newest that completed. */
                attempt?: number;
                /** @description Number of streams of the group, in order of creation, when no stream is listed. Default: all that exist. */
                count?: number;
                /** @description `readable`, the default, keeps these limits; `utterance` gives one cue for each utterance, on one line. */
                cues?: components["schemas"]["CaptionCues"];
                /** @description Exports transcripts with the corrections of people. `false`: as the machine wrote them, as EVENTS always does. */
                edited?: boolean;
                /** @description Formats of the files in a ZIP, repeated or comma-separated. Default: TEXT, SRT and JSON. Only with ZIP. */
                formats?: components["schemas"]["ZipFormat"][];
                /** @description Group of the streams. */
                group?: string;
                /** @description Whether a sink must have all of the tags or at least one. */
                matchTags?: components["schemas"]["TagMatch"];
                /** @description Longest cue of SRT and VTT, in milliseconds. Default: 7,000. */
                maxCueDuration?: number;
                /** @description Most characters in a line of SRT and VTT. Default: 42, or 16 for Chinese, Japanese and Korean. A longer word is not divided. */
                maxLineLength?: number;
                /** @description Most lines of a cue of SRT and VTT. Default: 2. */
                maxLines?: number;
                /** @description Adds the uploads to a ZIP. Only with ZIP. */
                media?: boolean;
                /** @description Returns null for every payload. Only with EVENTS. */
                omitPayload?: boolean;
                /** @description Moves the times of each stream behind the stream before it. With SRT, VTT, DOCX, MD and CSV. */
                shift?: boolean;
                /**
                 * @description Stream ids, repeated or comma-separated. Streams of other users, which administrators see, must belong to one group.
                 * @example [
                 *       "0f1e2d3c-4b5a-4978-8a96-a5b4c3d2e1f0"
                 *     ]
                 */
                streams?: string[];
                /** @description Whether `streams` lists the streams to include or to exclude. EXCLUDE needs `group` and `count`. */
                streamsInclusion?: components["schemas"]["StreamsInclusion"];
                /** @description Puts the summary, if the stream has one, above the transcription. With TEXT, DOCX, MD and ZIP. */
                summary?: boolean;
                /** @description Tags of the sinks, repeated or comma-separated. Default: for JSON every kept sink, of several transcriptions the last of the chain; for EVENTS main; for the others the last transcription of the chain, or else the texts. */
                tags?: string[];
                /** @description Milliseconds to wait for the streams to be created. Maximum: the server's limit. */
                timeout?: number;
            };
            header?: {
                /**
                 * @description The Tributary-Position of an earlier answer. The read waits until its data include that position, or answers 503.
                 * @example 00000000000000000000
                 */
                "Tributary-After"?: string;
            };
            path: {
                /**
                 * @description Format of the results.
                 * @example JSON
                 */
                format: components["schemas"]["ExportFormat"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The results, with the content type of the format. */
            200: {
                headers: {
                    "Content-Disposition": components["headers"]["Content-Disposition"];
                    "Tributary-Consistency": components["headers"]["Tributary-Consistency"];
                    "Tributary-Position": components["headers"]["Tributary-Position"];
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExportResult"];
                    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": string;
                    "application/x-ndjson": components["schemas"]["SinkMessage"];
                    "application/x-subrip; charset=utf-8": string;
                    "application/zip": string;
                    "text/csv; charset=utf-8": string;
                    "text/markdown; charset=utf-8": string;
                    "text/plain; charset=utf-8": string;
                    "text/vtt; charset=utf-8": string;
                };
            };
            /** @description Nothing to export: no persistent sink matched, the format does not apply to the sinks, or the streams have expired. */
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
    searchStreams: {
        parameters: {
            query: {
                /** @description Only streams of this group. */
                group?: string;
                /** @description Only streams with this label, without regard to case. Repeat it for streams with all of several labels. */
                label?: string[];
                /** @description Page number, from 0. */
                page?: number;
                /**
                 * @description Words, which all occur in the stream; `"a phrase"`; `-without`; `pref*`, the beginning of a word. Letters compare without case and accents. Chinese, Japanese and Thai text is found anywhere within longer text.
                 * @example refund "as soon as possible" -invoice ship*
                 */
                q: string;
                /** @description Only streams created at this time or later. ISO 8601; UTC without an offset. */
                since?: string;
                /** @description Items per page. */
                size?: number;
                /** @description Only what this speaker says, by name or id. Looks at the 500 most relevant streams. */
                speaker?: string;
                /** @description Only streams that use this template, by its id or name. */
                streamConfigurationTemplateId?: string;
                /** @description Owner of the streams. Default: the caller. Only admins may name another. */
                subject?: string;
                /** @description Only streams created at this time or earlier. ISO 8601; UTC without an offset. */
                until?: string;
            };
            header?: {
                /**
                 * @description The Tributary-Position of an earlier answer. The read waits until its data include that position, or answers 503.
                 * @example 00000000000000000000
                 */
                "Tributary-After"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of streams with passages. */
            200: {
                headers: {
                    "Tributary-Consistency": components["headers"]["Tributary-Consistency"];
                    "Tributary-Position": components["headers"]["Tributary-Position"];
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FoundStreamPage"];
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
    createResumableUpload: {
        parameters: {
            query: {
                /**
                 * @description File name under which the upload is downloaded again. Default: the file name of a multipart upload.
                 * @example episode-1.mp3
                 */
                fileName?: string;
                /** @description Group that the stream joins. A new id creates the group. Default: a group of its own. */
                groupId?: string;
                /**
                 * @description Id of the new stream. Default: a random one.
                 * @example 0f1e2d3c-4b5a-4978-8a96-a5b4c3d2e1f0
                 */
                id?: string;
                /**
                 * @description Keeps the results this long after the end of the stream, an ISO 8601 duration such as `P30D`. Implies `persist=true`. Default: the time of the server, usually until you delete them.
                 * @example P30D
                 */
                keepFor?: string;
                /**
                 * @description A label of the new stream, at most 64 characters. Repeat it for more, at most 20. Labels compare without case.
                 * @example [
                 *       "sales"
                 *     ]
                 */
                label?: string[];
                /** @description Labels of the new stream, separated by commas. They join those of `label`. */
                labels?: string;
                /** @description Whether a sink must have all of the tags or at least one. */
                matchPersistTags?: components["schemas"]["TagMatch"];
                /** @description Name of the new stream. Default: a random one. */
                name?: string;
                /**
                 * @description Keeps the results for export.
                 * @example true
                 */
                persist?: boolean;
                /** @description Keeps only the sinks with these tags. */
                persistTags?: string[];
                /**
                 * @description Template to create the stream from: its id, the name of a template of your own, or `transcribe`, `diarize`, `live`, `text` or `ping`.
                 * @example text
                 */
                streamConfigurationTemplateId: string;
            };
            header?: {
                /** @description Repeating a request with the same key, parameters and body creates one stream only. The same key with other parameters or another body is 409. */
                "Idempotency-Key"?: string;
                /**
                 * @description Version of the tus protocol. A HEAD, PATCH, POST or DELETE without it is 412.
                 * @example 1.0.0
                 */
                "Tus-Resumable"?: "1.0.0";
                /**
                 * @description Size of the upload, in bytes.
                 * @example 5
                 */
                "Upload-Length"?: number;
                /**
                 * @description Parameters of the upload: keys and values in base64, separated by a space; pairs separated by commas.
                 * @example filename ZXBpc29kZS0xLm1wMw==
                 */
                "Upload-Metadata"?: string;
                /**
                 * @description Patches of the template as JSON text: one RFC 6902 operation or a list of them.
                 * @example [{"op":"replace","path":"summary","value":true}]
                 */
                "X-Template-Patch"?: string;
                /**
                 * @description Patches of the template as JSON text: one RFC 6902 operation or a list of them. Another name of X-Template-Patch.
                 * @example [{"op":"replace","path":"summary","value":true}]
                 */
                "X-Vat-Meta-Template-Patch"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/offset+octet-stream": string;
            };
        };
        responses: {
            /** @description Send the bytes to `Location`. */
            201: {
                headers: {
                    Location: components["headers"]["Location"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Tributary-Consistency": components["headers"]["Tributary-Consistency"];
                    "Tributary-Position": components["headers"]["Tributary-Position"];
                    "Tributary-Stream-Id": components["headers"]["Tributary-Stream-Id"];
                    "Tus-Resumable": components["headers"]["Tus-Resumable"];
                    /** @description When the upload ends unless more bytes arrive (RFC 9110, 5.6.7). */
                    "Upload-Expires"?: string;
                    /** @description Bytes that have arrived. */
                    "Upload-Offset"?: number;
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description The template does not exist, or the group belongs to another owner. */
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
            /** @description The id is in use, or the `Idempotency-Key` was used with other parameters or another length. */
            409: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description `Tus-Resumable` is missing or another version. */
            412: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The upload is too large. */
            413: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            415: components["responses"]["UnsupportedMediaType"];
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
            /** @description The extension of the protocol is not supported. */
            501: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getResumableUpload: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The Tributary-Position of an earlier answer. The read waits until its data include that position, or answers 503.
                 * @example 00000000000000000000
                 */
                "Tributary-After"?: string;
            };
            path: {
                /**
                 * @description The upload: the last part of its `Location`.
                 * @example 0f1e2d3c-4b5a-4978-8a96-a5b4c3d2e1f0
                 */
                uploadId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The upload. */
            200: {
                headers: {
                    "Tributary-Stream-Id": components["headers"]["Tributary-Stream-Id"];
                    "Tus-Resumable": components["headers"]["Tus-Resumable"];
                    /** @description When the upload ends unless more bytes arrive (RFC 9110, 5.6.7). */
                    "Upload-Expires"?: string;
                    "Upload-Length": components["headers"]["Upload-Length"];
                    /** @description As it was sent at the creation. */
                    "Upload-Metadata"?: string;
                    "Upload-Offset": components["headers"]["Upload-Offset"];
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResumableUpload"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            /** @description A HEAD without `Tus-Resumable`, or with another version. */
            412: {
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
    overrideResumableUpload: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Version of the tus protocol. A HEAD, PATCH, POST or DELETE without it is 412.
                 * @example 1.0.0
                 */
                "Tus-Resumable"?: "1.0.0";
                /**
                 * @description Number of bytes that have arrived before those of this request.
                 * @example 0
                 */
                "Upload-Offset"?: number;
                /**
                 * @description The method that is meant.
                 * @example PATCH
                 */
                "X-HTTP-Method-Override"?: "PATCH" | "HEAD" | "DELETE";
            };
            path: {
                /**
                 * @description The upload: the last part of its `Location`.
                 * @example 0f1e2d3c-4b5a-4978-8a96-a5b4c3d2e1f0
                 */
                uploadId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/offset+octet-stream": string;
            };
        };
        responses: {
            /** @description The upload, for HEAD. */
            200: {
                headers: {
                    "Tributary-Consistency": components["headers"]["Tributary-Consistency"];
                    "Tributary-Position": components["headers"]["Tributary-Position"];
                    "Tributary-Stream-Id": components["headers"]["Tributary-Stream-Id"];
                    "Tus-Resumable": components["headers"]["Tus-Resumable"];
                    "Upload-Length": components["headers"]["Upload-Length"];
                    "Upload-Offset": components["headers"]["Upload-Offset"];
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResumableUpload"];
                };
            };
            /** @description As PATCH or DELETE. */
            204: {
                headers: {
                    "Tributary-Consistency": components["headers"]["Tributary-Consistency"];
                    "Tributary-Position": components["headers"]["Tributary-Position"];
                    "Tributary-Stream-Id": components["headers"]["Tributary-Stream-Id"];
                    "Tus-Resumable": components["headers"]["Tus-Resumable"];
                    /** @description Bytes that have arrived. */
                    "Upload-Offset"?: number;
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            /** @description Another method. */
            405: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            408: components["responses"]["RequestTimeout"];
            /** @description Upload-Offset is not the number of bytes that have arrived, or another request continues the upload. */
            409: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description `Tus-Resumable` is missing or another version. */
            412: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More bytes than `Upload-Length` has announced. */
            413: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            415: components["responses"]["UnsupportedMediaType"];
            /** @description All bytes have arrived, but the stream cannot be created: its id or the `Idempotency-Key` was used otherwise meanwhile. */
            422: {
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
    deleteResumableUpload: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Version of the tus protocol. A HEAD, PATCH, POST or DELETE without it is 412.
                 * @example 1.0.0
                 */
                "Tus-Resumable"?: "1.0.0";
            };
            path: {
                /**
                 * @description The upload: the last part of its `Location`.
                 * @example 0f1e2d3c-4b5a-4978-8a96-a5b4c3d2e1f0
                 */
                uploadId: string;
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
                    "Tributary-Stream-Id": components["headers"]["Tributary-Stream-Id"];
                    "Tus-Resumable": components["headers"]["Tus-Resumable"];
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            /** @description The upload is complete. */
            409: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description `Tus-Resumable` is missing or another version. */
            412: {
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
    continueResumableUpload: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Version of the tus protocol. A HEAD, PATCH, POST or DELETE without it is 412.
                 * @example 1.0.0
                 */
                "Tus-Resumable"?: "1.0.0";
                /**
                 * @description Number of bytes that have arrived before those of this request.
                 * @example 0
                 */
                "Upload-Offset"?: number;
            };
            path: {
                /**
                 * @description The upload: the last part of its `Location`.
                 * @example 0f1e2d3c-4b5a-4978-8a96-a5b4c3d2e1f0
                 */
                uploadId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/offset+octet-stream": string;
            };
        };
        responses: {
            /** @description All bytes of the request are stored. */
            204: {
                headers: {
                    "Tributary-Consistency": components["headers"]["Tributary-Consistency"];
                    "Tributary-Position": components["headers"]["Tributary-Position"];
                    "Tributary-Stream-Id": components["headers"]["Tributary-Stream-Id"];
                    "Tus-Resumable": components["headers"]["Tus-Resumable"];
                    /** @description When the upload ends unless more bytes arrive (RFC 9110, 5.6.7). */
                    "Upload-Expires"?: string;
                    "Upload-Offset": components["headers"]["Upload-Offset"];
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            /** @description Upload-Offset is not the number of bytes that have arrived, or another request continues the upload. */
            409: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description `Tus-Resumable` is missing or another version. */
            412: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More bytes than `Upload-Length` has announced. */
            413: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            415: components["responses"]["UnsupportedMediaType"];
            /** @description All bytes have arrived, but the stream cannot be created: its id or the `Idempotency-Key` was used otherwise meanwhile. */
            422: {
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
    upload: {
        parameters: {
            query: {
                /**
                 * @description File name under which the upload is downloaded again. Default: the file name of a multipart upload.
                 * @example episode-1.mp3
                 */
                fileName?: string;
                /** @description Group that the stream joins. A new id creates the group. Default: a group of its own. */
                groupId?: string;
                /**
                 * @description Id of the new stream. Default: a random one.
                 * @example 0f1e2d3c-4b5a-4978-8a96-a5b4c3d2e1f0
                 */
                id?: string;
                /**
                 * @description Keeps the results this long after the end of the stream, an ISO 8601 duration such as `P30D`. Implies `persist=true`. Default: the time of the server, usually until you delete them.
                 * @example P30D
                 */
                keepFor?: string;
                /**
                 * @description A label of the new stream, at most 64 characters. Repeat it for more, at most 20. Labels compare without case.
                 * @example [
                 *       "sales"
                 *     ]
                 */
                label?: string[];
                /** @description Labels of the new stream, separated by commas. They join those of `label`. */
                labels?: string;
                /** @description Whether a sink must have all of the tags or at least one. */
                matchPersistTags?: components["schemas"]["TagMatch"];
                /** @description Name of the new stream. Default: a random one. */
                name?: string;
                /**
                 * @description Keeps the results for export.
                 * @example true
                 */
                persist?: boolean;
                /** @description Keeps only the sinks with these tags. */
                persistTags?: string[];
                /**
                 * @description Template to create the stream from: its id, the name of a template of your own, or `transcribe`, `diarize`, `live`, `text` or `ping`.
                 * @example text
                 */
                streamConfigurationTemplateId: string;
            };
            header?: {
                /** @description Repeating a request with the same key, parameters and body creates one stream only. The same key with other parameters or another body is 409. */
                "Idempotency-Key"?: string;
                /**
                 * @description Patches of the template as JSON text: one RFC 6902 operation or a list of them.
                 * @example [{"op":"replace","path":"summary","value":true}]
                 */
                "X-Template-Patch"?: string;
                /**
                 * @description Patches of the template as JSON text: one RFC 6902 operation or a list of them. Another name of X-Template-Patch.
                 * @example [{"op":"replace","path":"summary","value":true}]
                 */
                "X-Vat-Meta-Template-Patch"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/octet-stream": string;
                "multipart/form-data": {
                    configuration?: components["schemas"]["UploadConfiguration"];
                    /**
                     * Format: binary
                     * @description The bytes: the last part, whatever its name. Text without a filename in a part before it is a parameter like those of the query.
                     */
                    file: string;
                };
                "text/plain": string;
            };
        };
        responses: {
            /** @description The stream. All its bytes are durable. */
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
                    "application/json": components["schemas"]["MediaStream"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description The template does not exist, or the group belongs to another owner. */
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
            /** @description The id is in use, the stream was canceled during the upload, or the `Idempotency-Key` was used with other parameters or another body. */
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
            /** @description The body has a content encoding, or is multipart of another kind. */
            415: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Too many running streams, or your requests, answers and sockets hold too much memory. */
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
    sendMcpMessage: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "Tributary-Consistency": components["headers"]["Tributary-Consistency"];
                    "Tributary-Position": components["headers"]["Tributary-Position"];
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                    "text/event-stream": {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description A notification, which has no answer. */
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
            /** @description `Accept` must name application/json and text/event-stream. */
            406: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getMetrics: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The Tributary-Position of an earlier answer. The read waits until its data include that position, or answers 503.
                 * @example 00000000000000000000
                 */
                "Tributary-After"?: string;
            };
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
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    findAllWebhookEndpoints: {
        parameters: {
            query?: {
                /** @description Only endpoints in these states, such as `failing,held`. */
                health?: components["schemas"]["WebhookHealthState"][];
                /** @description Owner of the endpoints; `*`: all owners. Default: the caller. Only admins may name another. */
                subject?: string;
            };
            header?: {
                /**
                 * @description The Tributary-Position of an earlier answer. The read waits until its data include that position, or answers 503.
                 * @example 00000000000000000000
                 */
                "Tributary-After"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All of it. */
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
                /** @description Owner of the endpoints. Default: the caller. Only admins may name another. */
                subject?: string;
            };
            header?: {
                /** @description ETag of the state to change. 409 if the resource has changed. `*` matches any existing state. */
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
            /** @description The endpoint, with an ETag of its settings. `health` changes without it. */
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
            /** @description The endpoint has changed since the state in If-Match. */
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
                /** @description Owner of the endpoints. Default: the caller. Only admins may name another. */
                subject?: string;
            };
            header?: {
                /** @description ETag of the state to read. 412 if the present state is another. */
                "If-Match"?: string;
                /**
                 * @description ETag of your copy. 304 without a body if it is still the present state.
                 * @example "an-etag"
                 */
                "If-None-Match"?: string;
                /**
                 * @description The Tributary-Position of an earlier answer. The read waits until its data include that position, or answers 503.
                 * @example 00000000000000000000
                 */
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
            /** @description The endpoint, with an ETag of its settings. `health` changes without it. */
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
            /** @description `If-None-Match` names the present state. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            /** @description `If-Match` does not name the present state. */
            412: {
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
    deleteWebhookEndpoint: {
        parameters: {
            query?: {
                /** @description Owner of the endpoints. Default: the caller. Only admins may name another. */
                subject?: string;
            };
            header?: {
                /** @description ETag of the state to change. 409 if the resource has changed. `*` matches any existing state. */
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
            /** @description The endpoint has changed since the state in If-Match. */
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
                /** @description Only the delivery with this `webhook-id`. */
                eventId?: string;
                /** @description Page number, from 0. */
                page?: number;
                /** @description Only deliveries scheduled at this time or later. ISO 8601; UTC without an offset. */
                since?: string;
                /** @description Items per page. */
                size?: number;
                /** @description The one order of this list. It has it without the parameter too. */
                sort?: components["schemas"]["SortCreatedTimestampDesc"];
                /** @description Only deliveries in this state. */
                state?: components["schemas"]["DeliveryState"];
                /** @description Only deliveries whose last attempt got such a status code. `none`: it got no answer. */
                statusClass?: components["schemas"]["StatusClass"];
                /** @description Only deliveries about this stream, and about the group that it has to itself. */
                streamId?: string;
                /** @description Owner of the endpoints. Default: the caller. Only admins may name another. */
                subject?: string;
                /** @description Only deliveries of this event type, such as `stream.completed`. */
                type?: string;
                /** @description Only deliveries scheduled at this time or earlier. ISO 8601; UTC without an offset. */
                until?: string;
            };
            header?: {
                /**
                 * @description The Tributary-Position of an earlier answer. The read waits until its data include that position, or answers 503.
                 * @example 00000000000000000000
                 */
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
                    "Tributary-Consistency": components["headers"]["Tributary-Consistency"];
                    "Tributary-Position": components["headers"]["Tributary-Position"];
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
    findWebhookDeliveryPayload: {
        parameters: {
            query?: {
                /** @description Owner of the endpoints. Default: the caller. Only admins may name another. */
                subject?: string;
            };
            header?: {
                /**
                 * @description The Tributary-Position of an earlier answer. The read waits until its data include that position, or answers 503.
                 * @example 00000000000000000000
                 */
                "Tributary-After"?: string;
            };
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
            /** @description The body. */
            200: {
                headers: {
                    "Tributary-Consistency": components["headers"]["Tributary-Consistency"];
                    "Tributary-Position": components["headers"]["Tributary-Position"];
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description You have no such delivery, or its event has left the log. */
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
    resendWebhookDelivery: {
        parameters: {
            query?: {
                /** @description Owner of the endpoints. Default: the caller. Only admins may name another. */
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
            /** @description The delivery is scheduled once more. */
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
    sendWebhookDeliveryNow: {
        parameters: {
            query?: {
                /** @description Owner of the endpoints. Default: the caller. Only admins may name another. */
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
            /** @description The attempt is due. */
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
            /** @description The delivery has ended. Resend it instead. */
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
                /** @description Owner of the endpoints. Default: the caller. Only admins may name another. */
                subject?: string;
            };
            header?: {
                /** @description ETag of the state to change. 409 if the resource has changed. `*` matches any existing state. */
                "If-Match"?: string;
            };
            path: {
                /**
                 * @description Whether the endpoint receives events.
                 * @example true
                 */
                enabled: boolean;
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
            /** @description The endpoint, with an ETag of its settings. `health` changes without it. */
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
            /** @description The endpoint has changed since the state in If-Match. */
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
                /** @description Owner of the endpoints. Default: the caller. Only admins may name another. */
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
            /** @description The number of scheduled deliveries. */
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
            /** @description The endpoint is disabled. Enable it first. */
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
                /** @description Owner of the endpoints. Default: the caller. Only admins may name another. */
                subject?: string;
            };
            header?: {
                /**
                 * @description The Tributary-Position of an earlier answer. The read waits until its data include that position, or answers 503.
                 * @example 00000000000000000000
                 */
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
            /** @description The current secret. */
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
                /** @description Owner of the endpoints. Default: the caller. Only admins may name another. */
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
            /** @description The new secret. Earlier secrets also sign for 24 hours. */
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
                /** @description Owner of the endpoints. Default: the caller. Only admins may name another. */
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
            /** @description The id of the delivery. */
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
                /** @description Owner of the endpoints. Default: the caller. Only admins may name another. */
                subject?: string;
            };
            header?: {
                /**
                 * @description The Tributary-Position of an earlier answer. The read waits until its data include that position, or answers 503.
                 * @example 00000000000000000000
                 */
                "Tributary-After"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The current secret. */
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
                /** @description Owner of the endpoints. Default: the caller. Only admins may name another. */
                subject?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The new secret. Earlier secrets also sign for 24 hours. */
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
                /** @description Items per page. */
                size?: number;
                /** @description The one order of this list. It has it without the parameter too. */
                sort?: components["schemas"]["SortCreatedTimestampDesc"];
                /** @description Only deliveries in this state. */
                state?: components["schemas"]["DeliveryState"];
            };
            header?: {
                /**
                 * @description The Tributary-Position of an earlier answer. The read waits until its data include that position, or answers 503.
                 * @example 00000000000000000000
                 */
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
                    "Tributary-Consistency": components["headers"]["Tributary-Consistency"];
                    "Tributary-Position": components["headers"]["Tributary-Position"];
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
            query?: {
                /** @description Also lists the types that no wildcard includes: corrections of transcripts, and alerts about endpoints. */
                all?: boolean;
            };
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
            query?: {
                /** @description `clients`: for generators, each operation with one type of body and one type of answer, without webhooks, WebSocket and `/v1`. */
                for?: "clients";
                /** @description Whether the section `webhooks` is there. Its schemas always are. */
                webhooks?: boolean;
            };
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
    findSetupAdvice: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The Tributary-Position of an earlier answer. The read waits until its data include that position, or answers 503.
                 * @example 00000000000000000000
                 */
                "Tributary-After"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Each with a command or a setting that helps. */
            200: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SetupAdvice"][];
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
    findEngines: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The Tributary-Position of an earlier answer. The read waits until its data include that position, or answers 503.
                 * @example 00000000000000000000
                 */
                "Tributary-After"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One row per engine and model. */
            200: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Engine"][];
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
    findKeptResults: {
        parameters: {
            query?: {
                /** @description Most users and most deletions in the answer. */
                size?: number;
            };
            header?: {
                /**
                 * @description The Tributary-Position of an earlier answer. The read waits until its data include that position, or answers 503.
                 * @example 00000000000000000000
                 */
                "Tributary-After"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The state now. */
            200: {
                headers: {
                    "Tributary-Consistency": components["headers"]["Tributary-Consistency"];
                    "Tributary-Position": components["headers"]["Tributary-Position"];
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeptResults"];
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
    findLeases: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The Tributary-Position of an earlier answer. The read waits until its data include that position, or answers 503.
                 * @example 00000000000000000000
                 */
                "Tributary-After"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The held leases. */
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
    findNodes: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The Tributary-Position of an earlier answer. The read waits until its data include that position, or answers 503.
                 * @example 00000000000000000000
                 */
                "Tributary-After"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One row each. */
            200: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Node"][];
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
                /**
                 * @description The Tributary-Position of an earlier answer. The read waits until its data include that position, or answers 503.
                 * @example 00000000000000000000
                 */
                "Tributary-After"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The leases of the held partitions. */
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
                /**
                 * @description The Tributary-Position of an earlier answer. The read waits until its data include that position, or answers 503.
                 * @example 00000000000000000000
                 */
                "Tributary-After"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One row each. */
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
            /** @description Started. The list of projections shows the progress. */
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
            /** @description A rebuild of this read model is already running. */
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
                /**
                 * @description The Tributary-Position of an earlier answer. The read waits until its data include that position, or answers 503.
                 * @example 00000000000000000000
                 */
                "Tributary-After"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One row each. */
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
    getSystem: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The Tributary-Position of an earlier answer. The read waits until its data include that position, or answers 503.
                 * @example 00000000000000000000
                 */
                "Tributary-After"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The state now. */
            200: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["System"];
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
            /** @description The form is larger than 8 KB. */
            413: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            415: components["responses"]["UnsupportedMediaType"];
            /** @description Too many wrong client ids or secrets. */
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
    useSignInLink: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SignInLink"];
            };
        };
        responses: {
            /** @description Signed in. */
            204: {
                headers: {
                    "Set-Cookie": components["headers"]["Set-Cookie"];
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            /** @description The link was used already, or has expired. */
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
            /** @description The request does not come from a page of this server. */
            403: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    findAllProcessorDeclarations: {
        parameters: {
            query?: {
                /** @description Page number, from 0. */
                page?: number;
                /** @description Items per page. */
                size?: number;
                /** @description The one order of this list. It has it without the parameter too. */
                sort?: components["schemas"]["SortCreatedTimestampDesc"];
            };
            header?: {
                /**
                 * @description The Tributary-Position of an earlier answer. The read waits until its data include that position, or answers 503.
                 * @example 00000000000000000000
                 */
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
                    "application/json": components["schemas"]["ListedProcessorDeclarationPage"];
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
    saveProcessorDeclaration: {
        parameters: {
            query?: {
                /** @description `all` declares a processor that all users may use. For administrators. */
                scope?: components["schemas"]["DeclarationScope"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OwnProcessorDraft"];
            };
        };
        responses: {
            /** @description The next version. */
            200: {
                headers: {
                    "Tributary-Consistency": components["headers"]["Tributary-Consistency"];
                    "Tributary-Position": components["headers"]["Tributary-Position"];
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OwnProcessorDeclaration"];
                };
            };
            /** @description The new declaration, with its secret. */
            201: {
                headers: {
                    Location: components["headers"]["Location"];
                    "Tributary-Consistency": components["headers"]["Tributary-Consistency"];
                    "Tributary-Position": components["headers"]["Tributary-Position"];
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OwnProcessorDeclaration"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    findProcessorDeclaration: {
        parameters: {
            query?: {
                /** @description Default: the newest. */
                version?: number;
            };
            header?: {
                /**
                 * @description The Tributary-Position of an earlier answer. The read waits until its data include that position, or answers 503.
                 * @example 00000000000000000000
                 */
                "Tributary-After"?: string;
            };
            path: {
                /**
                 * @description The processor declaration.
                 * @example echo
                 */
                declarationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The declaration. */
            200: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListedProcessorDeclaration"];
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
    deleteProcessorDeclaration: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The processor declaration.
                 * @example echo
                 */
                declarationId: string;
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
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    rotateProcessorSecret: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The processor declaration.
                 * @example echo
                 */
                declarationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The new secret. */
            200: {
                headers: {
                    "Tributary-Consistency": components["headers"]["Tributary-Consistency"];
                    "Tributary-Position": components["headers"]["Tributary-Position"];
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProcessorSecretRotated"];
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
    testProcessor: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The processor declaration.
                 * @example echo
                 */
                declarationId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ProcessorTest"];
            };
        };
        responses: {
            /** @description Output or error of the run. */
            200: {
                headers: {
                    "Tributary-Consistency": components["headers"]["Tributary-Consistency"];
                    "Tributary-Position": components["headers"]["Tributary-Position"];
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProcessorTestResult"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
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
                /** @description Items per page. */
                size?: number;
                /** @description The one order of this list. It has it without the parameter too. */
                sort?: components["schemas"]["SortCreatedTimestampDesc"];
                /** @description Subject whose templates are listed, for admins. Default: the caller. */
                subject?: string;
            };
            header?: {
                /**
                 * @description The Tributary-Position of an earlier answer. The read waits until its data include that position, or answers 503.
                 * @example 00000000000000000000
                 */
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
                /** @description Returns the result without changing anything. */
                dryRun?: boolean;
                /** @description Changes the built-in template itself, for everybody. Admins only. Default: your own template or private overlay. */
                scope?: components["schemas"]["TemplateScope"];
            };
            header?: {
                /** @description ETag of the state to change. 409 if the resource has changed. `*` matches any existing state. */
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
                /** @description `builtin`: the built-in template beneath your copy. `shipped`: that template before any administrator changed it. Ignores `version`. Default: the template that you use. */
                layer?: components["schemas"]["TemplateLayer"];
                /** @description An earlier version. Default: the newest. */
                version?: number;
            };
            header?: {
                /** @description ETag of the state to read. 412 if the present state is another. */
                "If-Match"?: string;
                /**
                 * @description ETag of your copy. 304 without a body if it is still the present state.
                 * @example "an-etag"
                 */
                "If-None-Match"?: string;
                /**
                 * @description The Tributary-Position of an earlier answer. The read waits until its data include that position, or answers 503.
                 * @example 00000000000000000000
                 */
                "Tributary-After"?: string;
                /**
                 * @description Patches of the template as JSON text: one RFC 6902 operation or a list of them.
                 * @example [{"op":"replace","path":"summary","value":true}]
                 */
                "X-Template-Patch"?: string;
                /**
                 * @description Patches of the template as JSON text: one RFC 6902 operation or a list of them. Another name of X-Template-Patch.
                 * @example [{"op":"replace","path":"summary","value":true}]
                 */
                "X-Vat-Meta-Template-Patch"?: string;
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
            /** @description The template, with an ETag of its state. Without one if it is shown with patches or as one layer. */
            200: {
                headers: {
                    /** @description Version of this state, for If-Match, If-None-Match or If-Range. */
                    ETag?: string;
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StreamConfigurationTemplate"];
                };
            };
            /** @description `If-None-Match` names the present state. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            /** @description `If-Match` does not name the present state. */
            412: {
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
    deleteTemplate: {
        parameters: {
            query?: {
                /** @description Changes the built-in template itself, for everybody. Admins only. Default: your own template or private overlay. */
                scope?: components["schemas"]["TemplateScope"];
            };
            header?: {
                /** @description ETag of the state to change. 409 if the resource has changed. `*` matches any existing state. */
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
                /** @description Returns the result without changing anything. */
                dryRun?: boolean;
                /** @description Changes the built-in template itself, for everybody. Admins only. Default: your own template or private overlay. */
                scope?: components["schemas"]["TemplateScope"];
            };
            header?: {
                /** @description ETag of the state to change. 409 if the resource has changed. `*` matches any existing state. */
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
    findVocabularies: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The Tributary-Position of an earlier answer. The read waits until its data include that position, or answers 503.
                 * @example 00000000000000000000
                 */
                "Tributary-After"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The vocabularies. */
            200: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Vocabulary"][];
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
    saveVocabulary: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["VocabularyDraft"];
            };
        };
        responses: {
            /** @description The changed vocabulary. */
            200: {
                headers: {
                    "Tributary-Consistency": components["headers"]["Tributary-Consistency"];
                    "Tributary-Position": components["headers"]["Tributary-Position"];
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Vocabulary"];
                };
            };
            /** @description The new vocabulary. */
            201: {
                headers: {
                    Location: components["headers"]["Location"];
                    "Tributary-Consistency": components["headers"]["Tributary-Consistency"];
                    "Tributary-Position": components["headers"]["Tributary-Position"];
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Vocabulary"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            /** @description You have another vocabulary with this name. */
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
            /** @description You have 100 vocabularies. */
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
    getVocabulary: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The Tributary-Position of an earlier answer. The read waits until its data include that position, or answers 503.
                 * @example 00000000000000000000
                 */
                "Tributary-After"?: string;
            };
            path: {
                /**
                 * @description The vocabulary.
                 * @example 0d5dd8a4-5a0c-4a9f-9a53-2e5b8f0a7c11
                 */
                vocabularyId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The vocabulary. */
            200: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Vocabulary"];
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
    deleteVocabulary: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The vocabulary.
                 * @example 0d5dd8a4-5a0c-4a9f-9a53-2e5b8f0a7c11
                 */
                vocabularyId: string;
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
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    findGroup: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The Tributary-Position of an earlier answer. The read waits until its data include that position, or answers 503.
                 * @example 00000000000000000000
                 */
                "Tributary-After"?: string;
            };
            path: {
                /**
                 * @description Id of the group. A stream uploaded without a group has a group with the stream's id.
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
    findLabels: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The Tributary-Position of an earlier answer. The read waits until its data include that position, or answers 503.
                 * @example 00000000000000000000
                 */
                "Tributary-After"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The labels. */
            200: {
                headers: {
                    "Tributary-Consistency": components["headers"]["Tributary-Consistency"];
                    "Tributary-Position": components["headers"]["Tributary-Position"];
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Label"][];
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
    findStreams: {
        parameters: {
            query?: {
                /** @description Only streams of this group. */
                group?: string;
                /** @description Only streams with this label, without regard to case. Repeat it for streams with all of several labels. */
                label?: string[];
                /** @description Only streams of exactly this name. */
                name?: string;
                /** @description Only streams whose name contains this text, in upper or lower case. Searches the newest 2000 streams that match the other filters; use `since` and `until` to search earlier ones. */
                nameContains?: string;
                /** @description Page number, from 0. */
                page?: number;
                /** @description Only streams created at this time or later. ISO 8601; UTC without an offset. */
                since?: string;
                /** @description Items per page. */
                size?: number;
                /** @description The one order of this list. It has it without the parameter too. */
                sort?: components["schemas"]["SortCreatedTimestampDesc"];
                /** @description Only streams in one of these states. */
                state?: components["schemas"]["StreamState"][];
                /** @description Only streams that use this template, by its id or name. */
                streamConfigurationTemplateId?: string;
                /** @description Owner of the streams. Default: the caller. Only admins may name another. */
                subject?: string;
                /** @description Only streams created at this time or earlier. ISO 8601; UTC without an offset. */
                until?: string;
            };
            header?: {
                /**
                 * @description The Tributary-Position of an earlier answer. The read waits until its data include that position, or answers 503.
                 * @example 00000000000000000000
                 */
                "Tributary-After"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of streams, each with the length of its audio, its cost, and advice if it failed. */
            200: {
                headers: {
                    "Tributary-Consistency": components["headers"]["Tributary-Consistency"];
                    "Tributary-Position": components["headers"]["Tributary-Position"];
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MediaStreamPage"];
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
                /** @description ETag of the state to read. 412 if the present state is another. */
                "If-Match"?: string;
                /**
                 * @description ETag of your copy. 304 without a body if it is still the present state.
                 * @example "an-etag"
                 */
                "If-None-Match"?: string;
                /**
                 * @description The Tributary-Position of an earlier answer. The read waits until its data include that position, or answers 503.
                 * @example 00000000000000000000
                 */
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
            /** @description The stream, with an ETag of its state. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MediaStream"];
                };
            };
            /** @description `If-None-Match` names the present state. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            /** @description `If-Match` does not name the present state. */
            412: {
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
            /** @description The data are deleted. */
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
    renameStream: {
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
        requestBody: {
            content: {
                "application/json": components["schemas"]["StreamDescription"];
            };
        };
        responses: {
            /** @description The changed stream. */
            200: {
                headers: {
                    "Tributary-Consistency": components["headers"]["Tributary-Consistency"];
                    "Tributary-Position": components["headers"]["Tributary-Position"];
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MediaStream"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    findStreamAttempts: {
        parameters: {
            query?: {
                /** @description Page number, from 0. */
                page?: number;
                /** @description Items per page. */
                size?: number;
                /** @description The one order of this list. It has it without the parameter too. */
                sort?: components["schemas"]["SortAttemptDesc"];
            };
            header?: {
                /** @description ETag of the state to read. 412 if the present state is another. */
                "If-Match"?: string;
                /**
                 * @description ETag of your copy. 304 without a body if it is still the present state.
                 * @example "an-etag"
                 */
                "If-None-Match"?: string;
                /**
                 * @description The Tributary-Position of an earlier answer. The read waits until its data include that position, or answers 503.
                 * @example 00000000000000000000
                 */
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
            /** @description A page of attempts. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Tributary-Consistency": components["headers"]["Tributary-Consistency"];
                    "Tributary-Position": components["headers"]["Tributary-Position"];
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AttemptTimelinePage"];
                };
            };
            /** @description `If-None-Match` names the present state. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            /** @description `If-Match` does not name the present state. */
            412: {
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
    readStageInput: {
        parameters: {
            query?: {
                /** @description Only this many lines from the start, at most 64 KiB. */
                lines?: number;
            };
            header?: {
                /**
                 * @description The Tributary-Position of an earlier answer. The read waits until its data include that position, or answers 503.
                 * @example 00000000000000000000
                 */
                "Tributary-After"?: string;
            };
            path: {
                /**
                 * @description Attempt of the stream. 1 is the upload.
                 * @example 1
                 */
                attempt: number;
                /**
                 * @description The stage.
                 * @example llm
                 */
                processorId: string;
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
            /** @description The data. */
            200: {
                headers: {
                    "Tributary-Consistency": components["headers"]["Tributary-Consistency"];
                    "Tributary-Position": components["headers"]["Tributary-Position"];
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                    "application/x-ndjson": components["schemas"]["StageMessage"];
                    "text/plain; charset=utf-8": string;
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            /** @description The data before redaction have been deleted. */
            410: {
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
    readStageOutput: {
        parameters: {
            query?: {
                /** @description Only this many lines from the start, at most 64 KiB. */
                lines?: number;
            };
            header?: {
                /**
                 * @description The Tributary-Position of an earlier answer. The read waits until its data include that position, or answers 503.
                 * @example 00000000000000000000
                 */
                "Tributary-After"?: string;
            };
            path: {
                /**
                 * @description Attempt of the stream. 1 is the upload.
                 * @example 1
                 */
                attempt: number;
                /**
                 * @description The stage.
                 * @example llm
                 */
                processorId: string;
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
            /** @description The data. */
            200: {
                headers: {
                    "Tributary-Consistency": components["headers"]["Tributary-Consistency"];
                    "Tributary-Position": components["headers"]["Tributary-Position"];
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                    "application/x-ndjson": components["schemas"]["StageMessage"];
                    "text/plain; charset=utf-8": string;
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            /** @description The data before redaction have been deleted. */
            410: {
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
                    "application/json": components["schemas"]["MediaStream"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            /** @description The stream is COMPLETED or EXPIRED. */
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
            query?: {
                /** @description Shows the stream as it was in this attempt: 1 is the upload. Default: the newest run of each stage; for results, the newest that completed. */
                attempt?: number;
            };
            header?: {
                /**
                 * @description The Tributary-Position of an earlier answer. The read waits until its data include that position, or answers 503.
                 * @example 00000000000000000000
                 */
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
                /** @description ETag of the state to read. 412 if the present state is another. */
                "If-Match"?: string;
                /**
                 * @description ETag of your copy. 304 without a body if it is still the present state.
                 * @example "an-etag"
                 */
                "If-None-Match"?: string;
                /** @description ETag of your partial copy. If it changed, the whole body is sent. */
                "If-Range"?: string;
                /** @description Byte range to return (RFC 9110, section 14.2). An invalid range returns the whole body. */
                Range?: string;
                /**
                 * @description The Tributary-Position of an earlier answer. The read waits until its data include that position, or answers 503.
                 * @example 00000000000000000000
                 */
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
            /** @description All of it. */
            200: {
                headers: {
                    "Accept-Ranges": components["headers"]["Accept-Ranges"];
                    ETag: components["headers"]["ETag"];
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                    "audio/aac": string;
                    "audio/aiff": string;
                    "audio/amr": string;
                    "audio/flac": string;
                    "audio/mp4": string;
                    "audio/mpeg": string;
                    "audio/ogg": string;
                    "audio/wav": string;
                    "audio/webm": string;
                };
            };
            /** @description The requested part. */
            206: {
                headers: {
                    "Accept-Ranges": components["headers"]["Accept-Ranges"];
                    "Content-Range": components["headers"]["Content-Range"];
                    ETag: components["headers"]["ETag"];
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                    "audio/aac": string;
                    "audio/aiff": string;
                    "audio/amr": string;
                    "audio/flac": string;
                    "audio/mp4": string;
                    "audio/mpeg": string;
                    "audio/ogg": string;
                    "audio/wav": string;
                    "audio/webm": string;
                };
            };
            /** @description `If-None-Match` names the present state. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            /** @description The upload is still in progress. */
            409: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The upload was deleted after redaction. */
            410: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description `If-Match` does not name the present state. */
            412: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The range contains no bytes. */
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
                /**
                 * @description The Tributary-Position of an earlier answer. The read waits until its data include that position, or answers 503.
                 * @example 00000000000000000000
                 */
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
            /** @description All events of the stream. */
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
    findRerunOptions: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The Tributary-Position of an earlier answer. The read waits until its data include that position, or answers 503.
                 * @example 00000000000000000000
                 */
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
            /** @description The stages. */
            200: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RerunOptions"];
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
    rerunStream: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeating a request with the same key, parameters and body creates one stream only. The same key with other parameters or another body is 409. */
                "Idempotency-Key"?: string;
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
        requestBody?: {
            content: {
                "application/json": components["schemas"]["Rerun"];
            };
        };
        responses: {
            /** @description The new attempt has begun. */
            202: {
                headers: {
                    "Tributary-Consistency": components["headers"]["Tributary-Consistency"];
                    "Tributary-Position": components["headers"]["Tributary-Position"];
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RerunAccepted"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            /** @description The stream is running, a stage before `from` has no complete output, or the key was used with another body. Also for a stream that has run 100 times, or whose earlier runs take more than 4 MiB with their properties. */
            409: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The data of the stream are gone. */
            410: {
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
            /** @description Too many streams of this user are running. */
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
    findStreamRetention: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The Tributary-Position of an earlier answer. The read waits until its data include that position, or answers 503.
                 * @example 00000000000000000000
                 */
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
            /** @description The retention of the stream. */
            200: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StreamRetention"];
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
    setStreamRetention: {
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
        requestBody: {
            content: {
                "application/json": components["schemas"]["StreamRetentionDraft"];
            };
        };
        responses: {
            /** @description The new retention. */
            200: {
                headers: {
                    "Tributary-Consistency": components["headers"]["Tributary-Consistency"];
                    "Tributary-Position": components["headers"]["Tributary-Position"];
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StreamRetention"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            /** @description The stream has expired, or expires within two seconds. */
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
    findShares: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The Tributary-Position of an earlier answer. The read waits until its data include that position, or answers 503.
                 * @example 00000000000000000000
                 */
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
            /** @description The links. */
            200: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Share"][];
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
    shareStream: {
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
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ShareDraft"];
            };
        };
        responses: {
            /** @description The link. */
            201: {
                headers: {
                    "Tributary-Consistency": components["headers"]["Tributary-Consistency"];
                    "Tributary-Position": components["headers"]["Tributary-Position"];
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewShare"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description Sharing is switched off on this server. */
            403: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            /** @description The data of the stream are deleted. */
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
    revokeShare: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The link.
                 * @example 0d5dd8a4-5a0c-4a9f-9a53-2e5b8f0a7c12
                 */
                shareId: string;
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
    findTranscript: {
        parameters: {
            query?: {
                /** @description The newest revision of this time. ISO 8601; UTC without an offset. */
                asOf?: string;
                /** @description The transcript as of this attempt of the stream: 1 is the upload. */
                attempt?: number;
                /** @description This revision: 0 is as the machine wrote it. */
                revision?: number;
            };
            header?: {
                /** @description ETag of the state to read. 412 if the present state is another. */
                "If-Match"?: string;
                /**
                 * @description ETag of your copy. 304 without a body if it is still the present state.
                 * @example "an-etag"
                 */
                "If-None-Match"?: string;
                /**
                 * @description The Tributary-Position of an earlier answer. The read waits until its data include that position, or answers 503.
                 * @example 00000000000000000000
                 */
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
            /** @description The transcript, with the ETag of its revision. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StreamTranscript"];
                };
            };
            /** @description `If-None-Match` names the present state. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            /** @description The transcription is being made. */
            409: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The data of the stream are deleted. */
            410: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description `If-Match` does not name the present state. */
            412: {
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
    editTranscript: {
        parameters: {
            query?: never;
            header?: {
                /** @description ETag of the state to change. 409 if the resource has changed. `*` matches any existing state. */
                "If-Match"?: string;
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
        requestBody: {
            content: {
                "application/json": components["schemas"]["TranscriptEdits"];
            };
        };
        responses: {
            /** @description The new revision, with its ETag. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Tributary-Consistency": components["headers"]["Tributary-Consistency"];
                    "Tributary-Position": components["headers"]["Tributary-Position"];
                    /** @description How often `replace` found its text. */
                    "Tributary-Replaced"?: number;
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StreamTranscript"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            /** @description The transcription is being made, or no edit is left to undo. */
            409: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The data of the stream are deleted. */
            410: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Another edit came first. Read the transcript again. */
            412: {
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
            /** @description `If-Match` is missing. */
            428: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The transcript has been edited 10,000 times. */
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
    findTranscriptEdits: {
        parameters: {
            query?: {
                /** @description Edits of the transcript as of this attempt of the stream. Default: the newest. */
                attempt?: number;
                /** @description Page number, from 0. */
                page?: number;
                /** @description Items per page. */
                size?: number;
                /** @description The one order of this list. It has it without the parameter too. */
                sort?: components["schemas"]["SortRevisionDesc"];
            };
            header?: {
                /**
                 * @description The Tributary-Position of an earlier answer. The read waits until its data include that position, or answers 503.
                 * @example 00000000000000000000
                 */
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
            /** @description A page of edits. */
            200: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TranscriptEditRecordPage"];
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
    undoTranscriptEdit: {
        parameters: {
            query?: never;
            header?: {
                /** @description ETag of the state to change. 409 if the resource has changed. `*` matches any existing state. */
                "If-Match"?: string;
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
            /** @description The new revision, with its ETag. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Tributary-Consistency": components["headers"]["Tributary-Consistency"];
                    "Tributary-Position": components["headers"]["Tributary-Position"];
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StreamTranscript"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            /** @description The transcription is being made, or no edit is left to undo. */
            409: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The data of the stream are deleted. */
            410: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Another edit came first. Read the transcript again. */
            412: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description `If-Match` is missing. */
            428: {
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
    labelStreams: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["StreamLabelsDraft"];
            };
        };
        responses: {
            /** @description How many streams were found and changed. */
            200: {
                headers: {
                    "Tributary-Consistency": components["headers"]["Tributary-Consistency"];
                    "Tributary-Position": components["headers"]["Tributary-Position"];
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StreamsChanged"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description One of the listed streams is not yours. */
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
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    findBulkReruns: {
        parameters: {
            query?: {
                /** @description Page number, from 0. */
                page?: number;
                /** @description Items per page. */
                size?: number;
                /** @description The one order of this list. It has it without the parameter too. */
                sort?: components["schemas"]["SortRequestedTimestampDesc"];
            };
            header?: {
                /**
                 * @description The Tributary-Position of an earlier answer. The read waits until its data include that position, or answers 503.
                 * @example 00000000000000000000
                 */
                "Tributary-After"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of bulk reruns. */
            200: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BulkRerunPage"];
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
    rerunStreams: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeating a request with the same key, parameters and body creates one stream only. The same key with other parameters or another body is 409. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BulkRerunDraft"];
            };
        };
        responses: {
            /** @description The reruns are queued. */
            202: {
                headers: {
                    "Tributary-Consistency": components["headers"]["Tributary-Consistency"];
                    "Tributary-Position": components["headers"]["Tributary-Position"];
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BulkRerunAccepted"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            /** @description The key was used with another body. */
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
            /** @description Too many bulk reruns of this user are under way. */
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
    cancelBulkRerun: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The bulk rerun.
                 * @example 5d0c7a52-3f1b-4a86-9c1e-7b2f60d4e8a1
                 */
                requestId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It has ended. */
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
    setStreamsRetention: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["StreamsRetentionDraft"];
            };
        };
        responses: {
            /** @description How many streams were found and changed. */
            200: {
                headers: {
                    "Tributary-Consistency": components["headers"]["Tributary-Consistency"];
                    "Tributary-Position": components["headers"]["Tributary-Position"];
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StreamsChanged"];
                };
            };
            /** @description The time has passed, or is beyond the bound of one of the streams. */
            400: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description One of the listed streams is not yours. */
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
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
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
                /** @description End of the interval, ISO 8601, exclusive. Default: now. */
                end?: string;
                /** @description Length of the periods, in UTC. */
                granularity?: components["schemas"]["UsageGranularity"];
                /** @description Start of the interval, ISO 8601, UTC without an offset. Default: the first of the month. */
                start?: string;
                /** @description Subject whose usage is reported, for admins. Default: the caller. */
                subject?: string;
            };
            header?: {
                /**
                 * @description The Tributary-Position of an earlier answer. The read waits until its data include that position, or answers 503.
                 * @example 00000000000000000000
                 */
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
                    "Tributary-Consistency": components["headers"]["Tributary-Consistency"];
                    "Tributary-Position": components["headers"]["Tributary-Position"];
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
                /**
                 * @description The Tributary-Position of an earlier answer. The read waits until its data include that position, or answers 503.
                 * @example 00000000000000000000
                 */
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
    createTranscription: {
        parameters: {
            query?: {
                /** @description Keeps the results for export. Default: the stream is ephemeral. */
                persist?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /** @description auto or server_vad. Checked, without effect: the engine decides. */
                    chunking_strategy?: string;
                    /**
                     * Format: binary
                     * @description The recording, in any format that ffmpeg reads.
                     */
                    file: string;
                    /** @description Checked, without effect. */
                    "include[]"?: "logprobs"[];
                    /** @description Words to expect. With the prompt, at most 4,096 characters. */
                    "keywords[]"?: string[];
                    /** @description Names for the speakers in the order in which they appear. With diarized_json. */
                    "known_speaker_names[]"?: string[];
                    /** @description Language code, at most 35 characters. Default: detected. */
                    language?: string;
                    /** @description Languages that the recording may be in, at most 20. */
                    "languages[]"?: string[];
                    /** @description gpt-transcribe, whisper-1, gpt-4o-transcribe, gpt-4o-mini-transcribe, gpt-4o-transcribe-diarize, or a template by id or name. */
                    model: string;
                    /** @description Words to expect, at most 4,096 characters. */
                    prompt?: string;
                    /**
                     * @default json
                     * @enum {string}
                     */
                    response_format?: "json" | "text" | "srt" | "vtt" | "verbose_json" | "diarized_json";
                    /** @description true: server-sent events. */
                    stream?: boolean;
                    /** @description Passed on where the engine has one. */
                    temperature?: number;
                    /** @description Only with verbose_json. Default: segment. */
                    "timestamp_granularities[]"?: ("segment" | "word")[];
                };
            };
        };
        responses: {
            /** @description The transcript, in the format asked for. */
            200: {
                headers: {
                    "Tributary-Consistency": components["headers"]["Tributary-Consistency"];
                    "Tributary-Position": components["headers"]["Tributary-Position"];
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiTranscript"];
                    "text/event-stream; charset=utf-8": unknown;
                    "text/plain; charset=utf-8": string;
                };
            };
            /** @description A parameter, the body or the request itself is not valid. */
            400: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description No credential or a wrong one. */
            401: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description The caller lacks the role, or is not the owner. */
            403: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description No such model. */
            404: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description The body did not arrive in time. */
            408: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Wrong content type or encoding. */
            415: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
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
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Internal error. */
            500: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description A store is unavailable, or the server is stopping. */
            503: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description The stream did not end within OPENAI_MAX_WAIT_MS. It continues; the error names it. */
            504: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
        };
    };
    createTranslation: {
        parameters: {
            query?: {
                /** @description Keeps the results for export. Default: the stream is ephemeral. */
                persist?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /**
                     * Format: binary
                     * @description The recording, in any format that ffmpeg reads.
                     */
                    file: string;
                    /** @description Words to expect. With the prompt, at most 4,096 characters. */
                    "keywords[]"?: string[];
                    /** @description gpt-transcribe, whisper-1, gpt-4o-transcribe, gpt-4o-mini-transcribe, gpt-4o-transcribe-diarize, or a template by id or name. */
                    model: string;
                    /** @description Words to expect, at most 4,096 characters. */
                    prompt?: string;
                    /**
                     * @default json
                     * @enum {string}
                     */
                    response_format?: "json" | "text" | "srt" | "verbose_json" | "vtt";
                    /** @description Passed on where the engine has one. */
                    temperature?: number;
                };
            };
        };
        responses: {
            /** @description The transcript, in the format asked for. */
            200: {
                headers: {
                    "Tributary-Consistency": components["headers"]["Tributary-Consistency"];
                    "Tributary-Position": components["headers"]["Tributary-Position"];
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiTranscript"];
                    "text/event-stream; charset=utf-8": unknown;
                    "text/plain; charset=utf-8": string;
                };
            };
            /** @description A parameter, the body or the request itself is not valid. */
            400: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description No credential or a wrong one. */
            401: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description The caller lacks the role, or is not the owner. */
            403: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description No such model. */
            404: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description The body did not arrive in time. */
            408: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Wrong content type or encoding. */
            415: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
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
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Internal error. */
            500: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description A store is unavailable, or the server is stopping. */
            503: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description The stream did not end within OPENAI_MAX_WAIT_MS. It continues; the error names it. */
            504: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
        };
    };
    listModels: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The Tributary-Position of an earlier answer. The read waits until its data include that position, or answers 503.
                 * @example 00000000000000000000
                 */
                "Tributary-After"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The models. */
            200: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["OpenAiModel"][];
                        /** @enum {string} */
                        object: "list";
                    };
                };
            };
            /** @description A parameter, the body or the request itself is not valid. */
            400: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description No credential or a wrong one. */
            401: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description The caller lacks the role, or is not the owner. */
            403: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Too many wrong credentials or requests. */
            429: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Internal error. */
            500: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description A store is unavailable, or the server is stopping. */
            503: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
        };
    };
    retrieveModel: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The Tributary-Position of an earlier answer. The read waits until its data include that position, or answers 503.
                 * @example 00000000000000000000
                 */
                "Tributary-After"?: string;
            };
            path: {
                /**
                 * @description The name of the model.
                 * @example whisper-1
                 */
                model: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The model. */
            200: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiModel"];
                };
            };
            /** @description A parameter, the body or the request itself is not valid. */
            400: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description No credential or a wrong one. */
            401: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description The caller lacks the role, or is not the owner. */
            403: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Not found, or not visible to the caller. */
            404: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Too many wrong credentials or requests. */
            429: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Internal error. */
            500: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description A store is unavailable, or the server is stopping. */
            503: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
        };
    };
    openRealtime: {
        parameters: {
            query?: {
                /**
                 * @description `transcription`. May be left out when there is a model.
                 * @example transcription
                 */
                intent?: string;
                /** @description A model of recordings, or a real-time template by id or name. */
                model?: string;
            };
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
            /** @description A parameter, the body or the request itself is not valid. */
            400: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description The handshake has no credential or a wrong one. */
            401: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description The request is not a WebSocket upgrade. */
            426: {
                headers: {
                    Upgrade: components["headers"]["Upgrade"];
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description You have as many open WebSockets as a user may have. */
            429: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Internal error. */
            500: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description A store is unavailable, or the server is stopping. */
            503: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
        };
    };
    createRealtimeClientSecret: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OpenAiClientSecretDraft"];
            };
        };
        responses: {
            /** @description The secret. */
            200: {
                headers: {
                    "Tributary-Consistency": components["headers"]["Tributary-Consistency"];
                    "Tributary-Position": components["headers"]["Tributary-Position"];
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiClientSecret"];
                };
            };
            /** @description A parameter, the body or the request itself is not valid. */
            400: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description No credential or a wrong one. */
            401: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description The caller lacks the role, or is not the owner. */
            403: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description The body did not arrive in time. */
            408: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Wrong content type or encoding. */
            415: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Too many wrong credentials or requests. */
            429: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Internal error. */
            500: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description A store is unavailable, or the server is stopping. */
            503: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
        };
    };
    createRealtimeTranscriptionSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            /** @description The session, with its secret. */
            200: {
                headers: {
                    "Tributary-Consistency": components["headers"]["Tributary-Consistency"];
                    "Tributary-Position": components["headers"]["Tributary-Position"];
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiTranscriptionSession"];
                };
            };
            /** @description A parameter, the body or the request itself is not valid. */
            400: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description No credential or a wrong one. */
            401: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description The caller lacks the role, or is not the owner. */
            403: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description The body did not arrive in time. */
            408: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Wrong content type or encoding. */
            415: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Too many wrong credentials or requests. */
            429: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Internal error. */
            500: {
                headers: {
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description A store is unavailable, or the server is stopping. */
            503: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Correlation-Id": components["headers"]["X-Correlation-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
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
            /** @description The handshake has no credential or a wrong one. */
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
            /** @description The request is not a WebSocket upgrade. */
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
            /** @description You have as many open WebSockets as a user may have. */
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
    onAuditSealed: {
        parameters: {
            query?: never;
            header: {
                /** @description W3C Trace Context of the request that led to the event. */
                traceparent: string;
                /** @description Counts from 1. */
                "webhook-attempt": string;
                /** @description Name of the event stream in the log. Not on a ping. */
                "webhook-event-stream"?: string;
                /** @description Id of the event: the same on every attempt. */
                "webhook-id": string;
                /** @description Log position of the source event. Not on a ping. */
                "webhook-position"?: string;
                /** @description Revision of the source event within its event stream. Not on a ping. */
                "webhook-revision"?: string;
                /** @description Number of the delivery to this endpoint, from 1 without gaps. Not on a ping. */
                "webhook-sequence"?: string;
                /** @description `v1,` and the base64 of the HMAC-SHA256. After a rotation, one signature per secret, separated by a space. */
                "webhook-signature": string;
                /** @description Time of the attempt, in seconds since the epoch. */
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": (components["schemas"]["LogSealedWebhook"] | components["schemas"]["SlimWebhook"]) & {
                    /** @constant */
                    type?: "audit.sealed";
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
            /** @description No longer wanted: the endpoint is disabled. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed: the delivery is retried later. `Retry-After` pauses all deliveries to this endpoint. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed: the delivery is retried later. `Retry-After` pauses all deliveries to this endpoint. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed: the delivery is retried later. Redirects are not followed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onEndpointDisabled: {
        parameters: {
            query?: never;
            header: {
                /** @description W3C Trace Context of the request that led to the event. */
                traceparent: string;
                /** @description Counts from 1. */
                "webhook-attempt": string;
                /** @description Name of the event stream in the log. Not on a ping. */
                "webhook-event-stream"?: string;
                /** @description Id of the event: the same on every attempt. */
                "webhook-id": string;
                /** @description Log position of the source event. Not on a ping. */
                "webhook-position"?: string;
                /** @description Revision of the source event within its event stream. Not on a ping. */
                "webhook-revision"?: string;
                /** @description Number of the delivery to this endpoint, from 1 without gaps. Not on a ping. */
                "webhook-sequence"?: string;
                /** @description `v1,` and the base64 of the HMAC-SHA256. After a rotation, one signature per secret, separated by a space. */
                "webhook-signature": string;
                /** @description Time of the attempt, in seconds since the epoch. */
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EndpointHealthWebhook"] & {
                    /** @constant */
                    type?: "endpoint.disabled";
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
            /** @description No longer wanted: the endpoint is disabled. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed: the delivery is retried later. `Retry-After` pauses all deliveries to this endpoint. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed: the delivery is retried later. `Retry-After` pauses all deliveries to this endpoint. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed: the delivery is retried later. Redirects are not followed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onEndpointFailing: {
        parameters: {
            query?: never;
            header: {
                /** @description W3C Trace Context of the request that led to the event. */
                traceparent: string;
                /** @description Counts from 1. */
                "webhook-attempt": string;
                /** @description Name of the event stream in the log. Not on a ping. */
                "webhook-event-stream"?: string;
                /** @description Id of the event: the same on every attempt. */
                "webhook-id": string;
                /** @description Log position of the source event. Not on a ping. */
                "webhook-position"?: string;
                /** @description Revision of the source event within its event stream. Not on a ping. */
                "webhook-revision"?: string;
                /** @description Number of the delivery to this endpoint, from 1 without gaps. Not on a ping. */
                "webhook-sequence"?: string;
                /** @description `v1,` and the base64 of the HMAC-SHA256. After a rotation, one signature per secret, separated by a space. */
                "webhook-signature": string;
                /** @description Time of the attempt, in seconds since the epoch. */
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EndpointHealthWebhook"] & {
                    /** @constant */
                    type?: "endpoint.failing";
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
            /** @description No longer wanted: the endpoint is disabled. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed: the delivery is retried later. `Retry-After` pauses all deliveries to this endpoint. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed: the delivery is retried later. `Retry-After` pauses all deliveries to this endpoint. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed: the delivery is retried later. Redirects are not followed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onEndpointRecovered: {
        parameters: {
            query?: never;
            header: {
                /** @description W3C Trace Context of the request that led to the event. */
                traceparent: string;
                /** @description Counts from 1. */
                "webhook-attempt": string;
                /** @description Name of the event stream in the log. Not on a ping. */
                "webhook-event-stream"?: string;
                /** @description Id of the event: the same on every attempt. */
                "webhook-id": string;
                /** @description Log position of the source event. Not on a ping. */
                "webhook-position"?: string;
                /** @description Revision of the source event within its event stream. Not on a ping. */
                "webhook-revision"?: string;
                /** @description Number of the delivery to this endpoint, from 1 without gaps. Not on a ping. */
                "webhook-sequence"?: string;
                /** @description `v1,` and the base64 of the HMAC-SHA256. After a rotation, one signature per secret, separated by a space. */
                "webhook-signature": string;
                /** @description Time of the attempt, in seconds since the epoch. */
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EndpointHealthWebhook"] & {
                    /** @constant */
                    type?: "endpoint.recovered";
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
            /** @description No longer wanted: the endpoint is disabled. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed: the delivery is retried later. `Retry-After` pauses all deliveries to this endpoint. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed: the delivery is retried later. `Retry-After` pauses all deliveries to this endpoint. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed: the delivery is retried later. Redirects are not followed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onGatewayClosed: {
        parameters: {
            query?: never;
            header: {
                /** @description W3C Trace Context of the request that led to the event. */
                traceparent: string;
                /** @description Counts from 1. */
                "webhook-attempt": string;
                /** @description Name of the event stream in the log. Not on a ping. */
                "webhook-event-stream"?: string;
                /** @description Id of the event: the same on every attempt. */
                "webhook-id": string;
                /** @description Log position of the source event. Not on a ping. */
                "webhook-position"?: string;
                /** @description Revision of the source event within its event stream. Not on a ping. */
                "webhook-revision"?: string;
                /** @description Number of the delivery to this endpoint, from 1 without gaps. Not on a ping. */
                "webhook-sequence"?: string;
                /** @description `v1,` and the base64 of the HMAC-SHA256. After a rotation, one signature per secret, separated by a space. */
                "webhook-signature": string;
                /** @description Time of the attempt, in seconds since the epoch. */
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": (components["schemas"]["StreamGatewayStateWebhook"] | components["schemas"]["SlimWebhook"]) & {
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
            /** @description No longer wanted: the endpoint is disabled. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed: the delivery is retried later. `Retry-After` pauses all deliveries to this endpoint. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed: the delivery is retried later. `Retry-After` pauses all deliveries to this endpoint. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed: the delivery is retried later. Redirects are not followed. */
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
                /** @description W3C Trace Context of the request that led to the event. */
                traceparent: string;
                /** @description Counts from 1. */
                "webhook-attempt": string;
                /** @description Name of the event stream in the log. Not on a ping. */
                "webhook-event-stream"?: string;
                /** @description Id of the event: the same on every attempt. */
                "webhook-id": string;
                /** @description Log position of the source event. Not on a ping. */
                "webhook-position"?: string;
                /** @description Revision of the source event within its event stream. Not on a ping. */
                "webhook-revision"?: string;
                /** @description Number of the delivery to this endpoint, from 1 without gaps. Not on a ping. */
                "webhook-sequence"?: string;
                /** @description `v1,` and the base64 of the HMAC-SHA256. After a rotation, one signature per secret, separated by a space. */
                "webhook-signature": string;
                /** @description Time of the attempt, in seconds since the epoch. */
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": (components["schemas"]["StreamGatewayStateWebhook"] | components["schemas"]["SlimWebhook"]) & {
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
            /** @description No longer wanted: the endpoint is disabled. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed: the delivery is retried later. `Retry-After` pauses all deliveries to this endpoint. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed: the delivery is retried later. `Retry-After` pauses all deliveries to this endpoint. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed: the delivery is retried later. Redirects are not followed. */
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
                /** @description W3C Trace Context of the request that led to the event. */
                traceparent: string;
                /** @description Counts from 1. */
                "webhook-attempt": string;
                /** @description Name of the event stream in the log. Not on a ping. */
                "webhook-event-stream"?: string;
                /** @description Id of the event: the same on every attempt. */
                "webhook-id": string;
                /** @description Log position of the source event. Not on a ping. */
                "webhook-position"?: string;
                /** @description Revision of the source event within its event stream. Not on a ping. */
                "webhook-revision"?: string;
                /** @description Number of the delivery to this endpoint, from 1 without gaps. Not on a ping. */
                "webhook-sequence"?: string;
                /** @description `v1,` and the base64 of the HMAC-SHA256. After a rotation, one signature per secret, separated by a space. */
                "webhook-signature": string;
                /** @description Time of the attempt, in seconds since the epoch. */
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": (components["schemas"]["StreamGatewayStateWebhook"] | components["schemas"]["SlimWebhook"]) & {
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
            /** @description No longer wanted: the endpoint is disabled. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed: the delivery is retried later. `Retry-After` pauses all deliveries to this endpoint. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed: the delivery is retried later. `Retry-After` pauses all deliveries to this endpoint. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed: the delivery is retried later. Redirects are not followed. */
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
                /** @description W3C Trace Context of the request that led to the event. */
                traceparent: string;
                /** @description Counts from 1. */
                "webhook-attempt": string;
                /** @description Name of the event stream in the log. Not on a ping. */
                "webhook-event-stream"?: string;
                /** @description Id of the event: the same on every attempt. */
                "webhook-id": string;
                /** @description Log position of the source event. Not on a ping. */
                "webhook-position"?: string;
                /** @description Revision of the source event within its event stream. Not on a ping. */
                "webhook-revision"?: string;
                /** @description Number of the delivery to this endpoint, from 1 without gaps. Not on a ping. */
                "webhook-sequence"?: string;
                /** @description `v1,` and the base64 of the HMAC-SHA256. After a rotation, one signature per secret, separated by a space. */
                "webhook-signature": string;
                /** @description Time of the attempt, in seconds since the epoch. */
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": (components["schemas"]["StreamGatewayStateWebhook"] | components["schemas"]["SlimWebhook"]) & {
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
            /** @description No longer wanted: the endpoint is disabled. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed: the delivery is retried later. `Retry-After` pauses all deliveries to this endpoint. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed: the delivery is retried later. `Retry-After` pauses all deliveries to this endpoint. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed: the delivery is retried later. Redirects are not followed. */
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
                /** @description W3C Trace Context of the request that led to the event. */
                traceparent: string;
                /** @description Counts from 1. */
                "webhook-attempt": string;
                /** @description Name of the event stream in the log. Not on a ping. */
                "webhook-event-stream"?: string;
                /** @description Id of the event: the same on every attempt. */
                "webhook-id": string;
                /** @description Log position of the source event. Not on a ping. */
                "webhook-position"?: string;
                /** @description Revision of the source event within its event stream. Not on a ping. */
                "webhook-revision"?: string;
                /** @description Number of the delivery to this endpoint, from 1 without gaps. Not on a ping. */
                "webhook-sequence"?: string;
                /** @description `v1,` and the base64 of the HMAC-SHA256. After a rotation, one signature per secret, separated by a space. */
                "webhook-signature": string;
                /** @description Time of the attempt, in seconds since the epoch. */
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": (components["schemas"]["GroupStateChangedWebhook"] | components["schemas"]["SlimWebhook"]) & {
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
            /** @description No longer wanted: the endpoint is disabled. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed: the delivery is retried later. `Retry-After` pauses all deliveries to this endpoint. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed: the delivery is retried later. `Retry-After` pauses all deliveries to this endpoint. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed: the delivery is retried later. Redirects are not followed. */
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
                /** @description W3C Trace Context of the request that led to the event. */
                traceparent: string;
                /** @description Counts from 1. */
                "webhook-attempt": string;
                /** @description Name of the event stream in the log. Not on a ping. */
                "webhook-event-stream"?: string;
                /** @description Id of the event: the same on every attempt. */
                "webhook-id": string;
                /** @description Log position of the source event. Not on a ping. */
                "webhook-position"?: string;
                /** @description Revision of the source event within its event stream. Not on a ping. */
                "webhook-revision"?: string;
                /** @description Number of the delivery to this endpoint, from 1 without gaps. Not on a ping. */
                "webhook-sequence"?: string;
                /** @description `v1,` and the base64 of the HMAC-SHA256. After a rotation, one signature per secret, separated by a space. */
                "webhook-signature": string;
                /** @description Time of the attempt, in seconds since the epoch. */
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": (components["schemas"]["GroupStateChangedWebhook"] | components["schemas"]["SlimWebhook"]) & {
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
            /** @description No longer wanted: the endpoint is disabled. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed: the delivery is retried later. `Retry-After` pauses all deliveries to this endpoint. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed: the delivery is retried later. `Retry-After` pauses all deliveries to this endpoint. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed: the delivery is retried later. Redirects are not followed. */
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
                /** @description W3C Trace Context of the request that led to the event. */
                traceparent: string;
                /** @description Counts from 1. */
                "webhook-attempt": string;
                /** @description Name of the event stream in the log. Not on a ping. */
                "webhook-event-stream"?: string;
                /** @description Id of the event: the same on every attempt. */
                "webhook-id": string;
                /** @description Log position of the source event. Not on a ping. */
                "webhook-position"?: string;
                /** @description Revision of the source event within its event stream. Not on a ping. */
                "webhook-revision"?: string;
                /** @description Number of the delivery to this endpoint, from 1 without gaps. Not on a ping. */
                "webhook-sequence"?: string;
                /** @description `v1,` and the base64 of the HMAC-SHA256. After a rotation, one signature per secret, separated by a space. */
                "webhook-signature": string;
                /** @description Time of the attempt, in seconds since the epoch. */
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": (components["schemas"]["GroupStateChangedWebhook"] | components["schemas"]["SlimWebhook"]) & {
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
            /** @description No longer wanted: the endpoint is disabled. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed: the delivery is retried later. `Retry-After` pauses all deliveries to this endpoint. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed: the delivery is retried later. `Retry-After` pauses all deliveries to this endpoint. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed: the delivery is retried later. Redirects are not followed. */
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
                /** @description W3C Trace Context of the request that led to the event. */
                traceparent: string;
                /** @description Counts from 1. */
                "webhook-attempt": string;
                /** @description Name of the event stream in the log. Not on a ping. */
                "webhook-event-stream"?: string;
                /** @description Id of the event: the same on every attempt. */
                "webhook-id": string;
                /** @description Log position of the source event. Not on a ping. */
                "webhook-position"?: string;
                /** @description Revision of the source event within its event stream. Not on a ping. */
                "webhook-revision"?: string;
                /** @description Number of the delivery to this endpoint, from 1 without gaps. Not on a ping. */
                "webhook-sequence"?: string;
                /** @description `v1,` and the base64 of the HMAC-SHA256. After a rotation, one signature per secret, separated by a space. */
                "webhook-signature": string;
                /** @description Time of the attempt, in seconds since the epoch. */
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": (components["schemas"]["GroupStateChangedWebhook"] | components["schemas"]["SlimWebhook"]) & {
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
            /** @description No longer wanted: the endpoint is disabled. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed: the delivery is retried later. `Retry-After` pauses all deliveries to this endpoint. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed: the delivery is retried later. `Retry-After` pauses all deliveries to this endpoint. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed: the delivery is retried later. Redirects are not followed. */
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
                /** @description W3C Trace Context of the request that led to the event. */
                traceparent: string;
                /** @description Counts from 1. */
                "webhook-attempt": string;
                /** @description Name of the event stream in the log. Not on a ping. */
                "webhook-event-stream"?: string;
                /** @description Id of the event: the same on every attempt. */
                "webhook-id": string;
                /** @description Log position of the source event. Not on a ping. */
                "webhook-position"?: string;
                /** @description Revision of the source event within its event stream. Not on a ping. */
                "webhook-revision"?: string;
                /** @description Number of the delivery to this endpoint, from 1 without gaps. Not on a ping. */
                "webhook-sequence"?: string;
                /** @description `v1,` and the base64 of the HMAC-SHA256. After a rotation, one signature per secret, separated by a space. */
                "webhook-signature": string;
                /** @description Time of the attempt, in seconds since the epoch. */
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": (components["schemas"]["GroupStreamJoinedWebhook"] | components["schemas"]["SlimWebhook"]) & {
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
            /** @description No longer wanted: the endpoint is disabled. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed: the delivery is retried later. `Retry-After` pauses all deliveries to this endpoint. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed: the delivery is retried later. `Retry-After` pauses all deliveries to this endpoint. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed: the delivery is retried later. Redirects are not followed. */
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
                /** @description W3C Trace Context of the request that led to the event. */
                traceparent: string;
                /** @description Counts from 1. */
                "webhook-attempt": string;
                /** @description Name of the event stream in the log. Not on a ping. */
                "webhook-event-stream"?: string;
                /** @description Id of the event: the same on every attempt. */
                "webhook-id": string;
                /** @description Log position of the source event. Not on a ping. */
                "webhook-position"?: string;
                /** @description Revision of the source event within its event stream. Not on a ping. */
                "webhook-revision"?: string;
                /** @description Number of the delivery to this endpoint, from 1 without gaps. Not on a ping. */
                "webhook-sequence"?: string;
                /** @description `v1,` and the base64 of the HMAC-SHA256. After a rotation, one signature per secret, separated by a space. */
                "webhook-signature": string;
                /** @description Time of the attempt, in seconds since the epoch. */
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
            /** @description No longer wanted: the endpoint is disabled. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed: the delivery is retried later. `Retry-After` pauses all deliveries to this endpoint. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed: the delivery is retried later. `Retry-After` pauses all deliveries to this endpoint. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed: the delivery is retried later. Redirects are not followed. */
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
                /** @description W3C Trace Context of the request that led to the event. */
                traceparent: string;
                /** @description Counts from 1. */
                "webhook-attempt": string;
                /** @description Name of the event stream in the log. Not on a ping. */
                "webhook-event-stream"?: string;
                /** @description Id of the event: the same on every attempt. */
                "webhook-id": string;
                /** @description Log position of the source event. Not on a ping. */
                "webhook-position"?: string;
                /** @description Revision of the source event within its event stream. Not on a ping. */
                "webhook-revision"?: string;
                /** @description Number of the delivery to this endpoint, from 1 without gaps. Not on a ping. */
                "webhook-sequence"?: string;
                /** @description `v1,` and the base64 of the HMAC-SHA256. After a rotation, one signature per secret, separated by a space. */
                "webhook-signature": string;
                /** @description Time of the attempt, in seconds since the epoch. */
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": (components["schemas"]["StreamProcessorStateWebhook"] | components["schemas"]["SlimWebhook"]) & {
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
            /** @description No longer wanted: the endpoint is disabled. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed: the delivery is retried later. `Retry-After` pauses all deliveries to this endpoint. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed: the delivery is retried later. `Retry-After` pauses all deliveries to this endpoint. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed: the delivery is retried later. Redirects are not followed. */
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
                /** @description W3C Trace Context of the request that led to the event. */
                traceparent: string;
                /** @description Counts from 1. */
                "webhook-attempt": string;
                /** @description Name of the event stream in the log. Not on a ping. */
                "webhook-event-stream"?: string;
                /** @description Id of the event: the same on every attempt. */
                "webhook-id": string;
                /** @description Log position of the source event. Not on a ping. */
                "webhook-position"?: string;
                /** @description Revision of the source event within its event stream. Not on a ping. */
                "webhook-revision"?: string;
                /** @description Number of the delivery to this endpoint, from 1 without gaps. Not on a ping. */
                "webhook-sequence"?: string;
                /** @description `v1,` and the base64 of the HMAC-SHA256. After a rotation, one signature per secret, separated by a space. */
                "webhook-signature": string;
                /** @description Time of the attempt, in seconds since the epoch. */
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": (components["schemas"]["StreamProcessorStateWebhook"] | components["schemas"]["SlimWebhook"]) & {
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
            /** @description No longer wanted: the endpoint is disabled. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed: the delivery is retried later. `Retry-After` pauses all deliveries to this endpoint. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed: the delivery is retried later. `Retry-After` pauses all deliveries to this endpoint. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed: the delivery is retried later. Redirects are not followed. */
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
                /** @description W3C Trace Context of the request that led to the event. */
                traceparent: string;
                /** @description Counts from 1. */
                "webhook-attempt": string;
                /** @description Name of the event stream in the log. Not on a ping. */
                "webhook-event-stream"?: string;
                /** @description Id of the event: the same on every attempt. */
                "webhook-id": string;
                /** @description Log position of the source event. Not on a ping. */
                "webhook-position"?: string;
                /** @description Revision of the source event within its event stream. Not on a ping. */
                "webhook-revision"?: string;
                /** @description Number of the delivery to this endpoint, from 1 without gaps. Not on a ping. */
                "webhook-sequence"?: string;
                /** @description `v1,` and the base64 of the HMAC-SHA256. After a rotation, one signature per secret, separated by a space. */
                "webhook-signature": string;
                /** @description Time of the attempt, in seconds since the epoch. */
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": (components["schemas"]["StreamProcessorStateWebhook"] | components["schemas"]["SlimWebhook"]) & {
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
            /** @description No longer wanted: the endpoint is disabled. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed: the delivery is retried later. `Retry-After` pauses all deliveries to this endpoint. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed: the delivery is retried later. `Retry-After` pauses all deliveries to this endpoint. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed: the delivery is retried later. Redirects are not followed. */
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
                /** @description W3C Trace Context of the request that led to the event. */
                traceparent: string;
                /** @description Counts from 1. */
                "webhook-attempt": string;
                /** @description Name of the event stream in the log. Not on a ping. */
                "webhook-event-stream"?: string;
                /** @description Id of the event: the same on every attempt. */
                "webhook-id": string;
                /** @description Log position of the source event. Not on a ping. */
                "webhook-position"?: string;
                /** @description Revision of the source event within its event stream. Not on a ping. */
                "webhook-revision"?: string;
                /** @description Number of the delivery to this endpoint, from 1 without gaps. Not on a ping. */
                "webhook-sequence"?: string;
                /** @description `v1,` and the base64 of the HMAC-SHA256. After a rotation, one signature per secret, separated by a space. */
                "webhook-signature": string;
                /** @description Time of the attempt, in seconds since the epoch. */
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": (components["schemas"]["StreamStateWebhook"] | components["schemas"]["SlimWebhook"]) & {
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
            /** @description No longer wanted: the endpoint is disabled. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed: the delivery is retried later. `Retry-After` pauses all deliveries to this endpoint. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed: the delivery is retried later. `Retry-After` pauses all deliveries to this endpoint. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed: the delivery is retried later. Redirects are not followed. */
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
                /** @description W3C Trace Context of the request that led to the event. */
                traceparent: string;
                /** @description Counts from 1. */
                "webhook-attempt": string;
                /** @description Name of the event stream in the log. Not on a ping. */
                "webhook-event-stream"?: string;
                /** @description Id of the event: the same on every attempt. */
                "webhook-id": string;
                /** @description Log position of the source event. Not on a ping. */
                "webhook-position"?: string;
                /** @description Revision of the source event within its event stream. Not on a ping. */
                "webhook-revision"?: string;
                /** @description Number of the delivery to this endpoint, from 1 without gaps. Not on a ping. */
                "webhook-sequence"?: string;
                /** @description `v1,` and the base64 of the HMAC-SHA256. After a rotation, one signature per secret, separated by a space. */
                "webhook-signature": string;
                /** @description Time of the attempt, in seconds since the epoch. */
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": (components["schemas"]["StreamStateWebhook"] | components["schemas"]["SlimWebhook"]) & {
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
            /** @description No longer wanted: the endpoint is disabled. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed: the delivery is retried later. `Retry-After` pauses all deliveries to this endpoint. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed: the delivery is retried later. `Retry-After` pauses all deliveries to this endpoint. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed: the delivery is retried later. Redirects are not followed. */
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
                /** @description W3C Trace Context of the request that led to the event. */
                traceparent: string;
                /** @description Counts from 1. */
                "webhook-attempt": string;
                /** @description Name of the event stream in the log. Not on a ping. */
                "webhook-event-stream"?: string;
                /** @description Id of the event: the same on every attempt. */
                "webhook-id": string;
                /** @description Log position of the source event. Not on a ping. */
                "webhook-position"?: string;
                /** @description Revision of the source event within its event stream. Not on a ping. */
                "webhook-revision"?: string;
                /** @description Number of the delivery to this endpoint, from 1 without gaps. Not on a ping. */
                "webhook-sequence"?: string;
                /** @description `v1,` and the base64 of the HMAC-SHA256. After a rotation, one signature per secret, separated by a space. */
                "webhook-signature": string;
                /** @description Time of the attempt, in seconds since the epoch. */
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": (components["schemas"]["StreamStateWebhook"] | components["schemas"]["SlimWebhook"]) & {
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
            /** @description No longer wanted: the endpoint is disabled. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed: the delivery is retried later. `Retry-After` pauses all deliveries to this endpoint. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed: the delivery is retried later. `Retry-After` pauses all deliveries to this endpoint. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed: the delivery is retried later. Redirects are not followed. */
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
                /** @description W3C Trace Context of the request that led to the event. */
                traceparent: string;
                /** @description Counts from 1. */
                "webhook-attempt": string;
                /** @description Name of the event stream in the log. Not on a ping. */
                "webhook-event-stream"?: string;
                /** @description Id of the event: the same on every attempt. */
                "webhook-id": string;
                /** @description Log position of the source event. Not on a ping. */
                "webhook-position"?: string;
                /** @description Revision of the source event within its event stream. Not on a ping. */
                "webhook-revision"?: string;
                /** @description Number of the delivery to this endpoint, from 1 without gaps. Not on a ping. */
                "webhook-sequence"?: string;
                /** @description `v1,` and the base64 of the HMAC-SHA256. After a rotation, one signature per secret, separated by a space. */
                "webhook-signature": string;
                /** @description Time of the attempt, in seconds since the epoch. */
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": (components["schemas"]["StreamStateWebhook"] | components["schemas"]["SlimWebhook"]) & {
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
            /** @description No longer wanted: the endpoint is disabled. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed: the delivery is retried later. `Retry-After` pauses all deliveries to this endpoint. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed: the delivery is retried later. `Retry-After` pauses all deliveries to this endpoint. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed: the delivery is retried later. Redirects are not followed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onTranscriptEdited: {
        parameters: {
            query?: never;
            header: {
                /** @description W3C Trace Context of the request that led to the event. */
                traceparent: string;
                /** @description Counts from 1. */
                "webhook-attempt": string;
                /** @description Name of the event stream in the log. Not on a ping. */
                "webhook-event-stream"?: string;
                /** @description Id of the event: the same on every attempt. */
                "webhook-id": string;
                /** @description Log position of the source event. Not on a ping. */
                "webhook-position"?: string;
                /** @description Revision of the source event within its event stream. Not on a ping. */
                "webhook-revision"?: string;
                /** @description Number of the delivery to this endpoint, from 1 without gaps. Not on a ping. */
                "webhook-sequence"?: string;
                /** @description `v1,` and the base64 of the HMAC-SHA256. After a rotation, one signature per secret, separated by a space. */
                "webhook-signature": string;
                /** @description Time of the attempt, in seconds since the epoch. */
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": (components["schemas"]["TranscriptEditedWebhook"] | components["schemas"]["SlimWebhook"]) & {
                    /** @constant */
                    type?: "transcript.edited";
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
            /** @description No longer wanted: the endpoint is disabled. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed: the delivery is retried later. `Retry-After` pauses all deliveries to this endpoint. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed: the delivery is retried later. `Retry-After` pauses all deliveries to this endpoint. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed: the delivery is retried later. Redirects are not followed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
}
