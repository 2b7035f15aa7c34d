// Calls every operation of both services with clients generated from their OpenAPI documents. Compares each answer with
// its description: status, media type, headers, and for JSON the schema, which allows no other members. Environment:
// QUERY_URL, UPDATE_URL, API_KEY, and RECORD_LEN, the length of an epoch record. Prints the ids of the called operations
// as a JSON list.
import { strict as assert } from "node:assert";
import { Ajv2020 } from "ajv/dist/2020.js";
import createClient, { type Middleware } from "openapi-fetch";
import type { components as QueryComponents, paths as QueryPaths } from "./query-service.js";
import type { paths as UpdatePaths } from "./update-service.js";

type Operation = { operationId: string; responses: Record<string, Described> };
type Described = { content?: Record<string, unknown>; headers?: Record<string, unknown> };
type Document = { paths: Record<string, Record<string, Operation>> };

const { QUERY_URL, UPDATE_URL, API_KEY, RECORD_LEN } = process.env;
assert(QUERY_URL && UPDATE_URL && API_KEY && RECORD_LEN, "QUERY_URL, UPDATE_URL, API_KEY and RECORD_LEN must be set");
const recordLen = Number(RECORD_LEN);

const called = new Set<string>();

const pointer = (...parts: string[]): string => parts.map((part) => part.replaceAll("~", "~0").replaceAll("/", "~1")).map(encodeURIComponent).join("/");

/** Returns a middleware that checks each answer against the service's own OpenAPI document. */
async function checked(base: string): Promise<Middleware> {
  const document = (await (await fetch(`${base}/openapi/v1.json`)).json()) as Document;
  // In the schemas, formats are only annotations; the validator checks patterns and limits.
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema(document, "openapi.json");
  return {
    async onResponse({ request, response, schemaPath }) {
      const method = request.method.toLowerCase();
      const operation = document.paths[schemaPath]![method]!;
      const what = `${operation.operationId}: ${response.status}`;
      called.add(operation.operationId);
      const described = operation.responses[String(response.status)];
      assert(described, `${what} is not described: ${await response.clone().text()}`);
      for (const header of Object.keys(described.headers ?? {})) {
        // The answer to a list has no Location header, because a list has no status resource.
        assert(header === "Location" || response.headers.has(header), `${what} lacks the header ${header}`);
      }
      if (!described.content) {
        return;
      }
      const type = (response.headers.get("content-type") ?? "").split(";")[0]!;
      assert(type in described.content, `${what} has the media type ${type}, which is not described`);
      if (type.endsWith("json")) {
        const validate = ajv.compile({ $ref: `openapi.json#/${pointer("paths", schemaPath, method, "responses", String(response.status), "content", type, "schema")}` });
        assert(validate(await response.clone().json()), `${what} is not what its schema says: ${ajv.errorsText(validate.errors)}`);
      }
    },
  };
}

type Answer<Data> = { data?: Data; error?: unknown; response: Response };

/** Returns the answer's data, and fails if the answer has no data. */
function given<Data>(answer: Answer<Data>): Data {
  assert(answer.data !== undefined, `HTTP ${answer.response.status}: ${JSON.stringify(answer.error)}`);
  return answer.data;
}

/** Returns the answer's data as parsed JSON. If the operation also has a binary form, the type of the data includes
 * string. */
function good<Data>(answer: Answer<Data>): Exclude<Data, string> {
  const data = given(answer);
  assert(typeof data === "object");
  return data as Exclude<Data, string>;
}

/** The answer's octets. */
const octetsOf = (answer: Answer<unknown>): ArrayBuffer => given(answer) as ArrayBuffer;

/** Returns the type of the problem in the answer. */
function refused(answer: Answer<unknown>): string {
  const problem = answer.error as QueryComponents["schemas"]["Problem"] | undefined;
  assert(problem, `HTTP ${answer.response.status}, and not a problem`);
  return problem.type.replace("urn:optiks:problem:", "");
}

const headers = { Authorization: `Bearer ${API_KEY}` };
const query = createClient<QueryPaths>({ baseUrl: QUERY_URL, headers });
const update = createClient<UpdatePaths>({ baseUrl: UPDATE_URL, headers });
const anyone = createClient<QueryPaths>({ baseUrl: QUERY_URL });
for (const [client, base] of [[query, QUERY_URL], [anyone, QUERY_URL], [update, UPDATE_URL]] as const) {
  client.use(await checked(base));
}

// Updates are sent as a single update, an atomic request and a list. One is published, and one is refused when the task decides it.
const name = `carol-${Date.now()}`;
const accepted = good(await update.POST("/v1/updates", { body: [{ key: name, value: "one" }, { items: [{ key_b64: "YWxpY2UA", value_b64: "AP8" }] }, { key: name, value: "two", expected: { period: 0, version: 0 } }] }));
assert(Array.isArray(accepted) && accepted.length === 3);
const statuses = [];
for (const { request_id } of accepted) {
  statuses.push(good(await update.GET("/v1/updates/{request_id}", { params: { path: { request_id }, query: { wait: 60 } } })));
}
const [published, , late] = statuses;
assert(published?.status === "published" && published.epoch !== undefined && late?.status === "refused");
assert.equal(late.current?.version, 1);
const one = good(await update.POST("/v1/updates", { body: { key: name, value: "three" } }));
assert(!Array.isArray(one) && one.status === "pending");
assert.equal(refused(await update.POST("/v1/updates", { body: [] })), "batch-length");
// The update-service refuses this request, because it has no receipt key.
assert.equal(refused(await update.POST("/v1/updates", { body: { key: name, value: "four", receipt: true } })), "malformed-request");
assert.equal(refused(await update.GET("/v1/updates/{request_id}", { params: { path: { request_id: "00000000-0000-7000-8000-000000000000" } } })), "not-found");

// One user is created with a generated id, and changed by this id. A second user cannot get the same name.
const user = good(await update.POST("/v1/users", { body: { changes: [{ op: "create", usernames: [`${name} user`], devices: [{ device: `${name} phone`, value: "one" }] }] } }));
assert(!Array.isArray(user) && user.status === "pending");
const changes = good(
  await update.POST("/v1/users", {
    body: [
      { user_b64: user.user_b64, changes: [{ op: "set-device", device: `${name} phone`, value: "two", expected: { period: 0, version: 1 } }] },
      { user: `${name} other`, changes: [{ op: "create", usernames: [`${name} user`] }] },
    ],
  }),
);
assert(Array.isArray(changes) && changes.length === 2);
const [set, taken] = await Promise.all(changes.map(async ({ request_id }) => good(await update.GET("/v1/updates/{request_id}", { params: { path: { request_id }, query: { wait: 60 } } }))));
assert(set?.status === "published" && set.items !== undefined && set.epoch !== undefined && taken?.status === "refused");
assert.deepEqual(set.items.map(({ item, structure, version }) => [item, structure, version]), [[1, "keys", 2]]);
assert.equal(taken.reason, "username-taken");
assert.equal(refused(await update.POST("/v1/users", { body: [] })), "batch-length");

// This reader waits until the query-service serves the epoch that the status names.
const epoch = published.epoch;
const position = { min_epoch: epoch };
for (;;) {
  const answer = await query.POST("/v1/lookup", { params: { query: position }, body: { key: name } });
  if (answer.data) {
    break;
  }
  assert.equal(refused(answer), "not-caught-up");
  await new Promise((resolve) => setTimeout(resolve, 50));
}
const found = good(await query.POST("/v1/lookup", { params: { query: position }, body: [{ key: name, known: { period: 0, version: 0 } }, { key: "nobody" }] }));
assert.deepEqual([found.lookups.length, found.lookups[1]!.version], [2, 0]);
assert.equal(good(await query.GET("/v1/lookup", { params: { query: { key: name } } })).lookups[0]!.members[0]!.kind === 0, found.lookups[0]!.version > 1);
const lookup = await query.POST("/v1/lookup", { body: { key: name }, headers: { Accept: "application/vnd.optiks.lookup" }, parseAs: "arrayBuffer" });
assert(octetsOf(lookup).byteLength > recordLen);
assert.equal(refused(await query.POST("/v1/lookup", { params: { query: { min_epoch: 2 ** 53 - 1 } }, body: { key: name } })), "not-caught-up");
assert.equal(refused(await query.POST("/v1/lookup", { body: { key: "" } })), "key-length");
for (const path of ["/v1/history", "/v1/monitor"] as const) {
  assert.equal(good(await query.POST(path, { body: { key: name, from: 1 } })).versions[0]!.from, 1);
  assert.equal(refused(await anyone.POST(path, { body: { key: name } })), "unauthorized");
}

// A user is looked up as others see it, and monitored as its owner sees it. An erasure does not erase the latest value.
const later = { min_epoch: set.epoch };
for (;;) {
  const answer = await query.POST("/v1/users/lookup", { params: { query: later }, body: [{ username: `${name} user` }, { username: `${name} nobody` }] });
  if (answer.data) {
    assert.deepEqual(good(answer).users.map(({ kind, keys }) => [kind, keys?.length]), [[2, 1], [0, undefined]]);
    break;
  }
  assert.equal(refused(answer), "not-caught-up");
  await new Promise((resolve) => setTimeout(resolve, 50));
}
const own = good(await query.POST("/v1/users/monitor", { body: { user_b64: user.user_b64, usernames: [`${name} user`] } }));
assert.deepEqual([own.names.length, own.keys?.length], [1, 1]);
assert.equal(refused(await anyone.POST("/v1/users/monitor", { body: { user_b64: user.user_b64 } })), "unauthorized");
const erasure = good(await update.POST("/v1/erasures", { body: { key: `${name} phone`, period: 0, from: 1, to: 2 } }));
assert(!Array.isArray(erasure));
const kept = good(await update.GET("/v1/erasures/{request_id}", { params: { path: { request_id: erasure.request_id }, query: { wait: 60 } } }));
assert.deepEqual([kept.status, kept.reason], ["refused", "latest-version"]);

// Epochs.
assert(good(await query.GET("/v1/epochs/latest", { params: { query: position } })).record_fields.epoch >= epoch);
assert.equal(good(await query.GET("/v1/epochs/{epoch}", { params: { path: { epoch } } })).epoch, epoch);
assert.equal(good(await query.GET("/v1/periods", { params: { query: { from: 0, ...position } } })).bounds[0]?.record_fields.epoch, 0);
assert.equal(refused(await query.GET("/v1/periods", { params: { query: { from: 2 ** 53 - 1 } } })), "not-found");
assert.equal(good(await query.GET("/v1/epochs/{range}/audit-proof", { params: { path: { range: `0-${epoch}` } } })).records.length, epoch + 1);
assert.equal(refused(await query.GET("/v1/epochs/{epoch}", { params: { path: { epoch: 2 ** 53 - 1 } } })), "not-found");
assert.equal(good(await query.GET("/v1/configuration", {})).max_key_len, 255);
assert.deepEqual(good(await query.GET("/v1/cosignatures", {})).checkpoints, []);

// The board serves all tiles and entries to which the checkpoint commits. A log of few epochs has no full tile.
const note = given(await query.GET("/log/checkpoint", { parseAs: "text" }));
const width = Number(note.split("\n")[1]);
const octets = { parseAs: "arrayBuffer" } as const;
const partial = { level: 0, index: "000", width };
assert.equal(octetsOf(await query.GET("/log/tile/{level}/{index}.p/{width}", { params: { path: partial }, ...octets })).byteLength, 32 * width);
assert(octetsOf(await query.GET("/log/tile/entries/{index}.p/{width}", { params: { path: partial }, ...octets })).byteLength >= recordLen * width);
assert(octetsOf(await query.GET("/log/audit/{index}", { params: { path: { index: String(epoch).padStart(3, "0") } }, ...octets })).byteLength > recordLen);
assert.equal(refused(await query.GET("/log/tile/{level}/{index}", { params: { path: partial } })), "not-found");
assert.equal(refused(await query.GET("/log/tile/entries/{index}", { params: { path: partial } })), "not-found");

// Both services have health endpoints and serve their OpenAPI document.
for (const healthy of [query.GET("/health/live"), query.GET("/health/ready"), update.GET("/health/live"), update.GET("/health/ready")]) {
  assert.equal(good(await healthy).status, "healthy");
}
good(await query.GET("/openapi/v1.json"));
good(await update.GET("/openapi/v1.json"));

console.log(JSON.stringify([...called]));
