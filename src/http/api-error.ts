/**
 * The one table of error codes, and the one place that makes an error response (RFC 9457). A service refuses a request by
 * throwing an ApiError; anything else that is thrown is our fault and becomes `internal`.
 */

interface Kind {
  readonly status: number
  readonly title: string
  /** What the caller can do about it; shown on /docs/errors. */
  readonly help: string
}

/**
 * Every error code of the API. Codes are stable: one may be added, none changes its meaning. Of several with one status
 * the most common comes first: it is the example of that status in the document.
 */
export const ERRORS = {
  invalid_request: {
    status: 400,
    title: 'Invalid request',
    help: 'A parameter, header or member of the body is missing or not allowed. `errors` points at each; nothing was changed.',
  },
  invalid_json: {
    status: 400,
    title: 'Invalid JSON',
    help: 'The body is not JSON in UTF-8, or is nested deeper than 64 levels. Nothing was changed.',
  },
  invalid_api_key: {
    status: 400,
    title: 'Invalid API key',
    help: 'X-API-Key does not have the form of a key, or a key came in Authorization, which is not read. Send it in X-API-Key, make one on the key page, or leave it out for the free tier.',
  },
  invalid_cursor: {
    status: 400,
    title: 'Invalid cursor',
    help: 'A cursor works only with the sort and the filters it was made with. Start again without it.',
  },
  invalid_query: {
    status: 400,
    title: 'Invalid query',
    help: 'The search cannot be read. `column` tells where: in characters, from 1. What is in double quotes is never an operator.',
  },
  invalid_filter: {
    status: 400,
    title: 'Invalid filter',
    help: 'The filter cannot be read, or names what there is not. `errors` tells where, in `column` and `length` (characters, from 1), and in `expected` what could stand there.',
  },
  unsupported_parameter: {
    status: 400,
    title: 'Unsupported parameter',
    help: 'The parameter is known from other chat servers, but this one does not offer it. Leave it out; nothing was changed.',
  },
  confirmation_unknown: {
    status: 400,
    title: 'Unknown confirmation',
    help: 'No action waits for this token: it is unknown, spent or expired. Ask for the action again; nothing was changed.',
  },
  unsupported_recurrence: {
    status: 400,
    title: 'Unsupported recurrence',
    help: 'The rule is one of RFC 5545, but tasks repeat by day: nothing below a day, one rule, the Gregorian calendar. Nothing was changed.',
  },
  recurrence_never_occurs: {
    status: 400,
    title: 'Recurrence never occurs',
    help: 'The rule has no date between its anchor and the end of 2200, such as 30 February. Nothing was changed.',
  },
  empty_title: {
    status: 400,
    title: 'Empty title',
    help: 'Nothing of the text is left for a title: all of it was taken for dates, labels and the like. Nothing was changed.',
  },
  archive_refused: {
    status: 400,
    title: 'Archive refused',
    help: 'The file cannot be imported as a whole: it is cut off, broken, claims far more than it holds, or would take far too long to read. Nothing was changed.',
  },
  invalid_package: {
    status: 400,
    title: 'Invalid package',
    help: 'The file is no Anki package, or a broken one: `detail` says what is wrong with it. Nothing was changed.',
  },
  unsupported_package: {
    status: 400,
    title: 'Unsupported package',
    help: 'The Anki package is of a layout that is not known here. Export it again, with support for older versions; nothing was changed.',
  },
  too_many_links: {
    status: 400,
    title: 'Too many links',
    help: 'A note may hold at most 10,000 wiki links. Nothing was changed.',
  },
  not_found: { status: 404, title: 'Not found', help: 'There is nothing at this path, or not in your workspace.' },
  model_not_found: {
    status: 404,
    title: 'Model not found',
    help: 'There is no such chat model for this caller. Use `auto`, or leave `model` out.',
  },
  method_not_allowed: {
    status: 405,
    title: 'Method not allowed',
    help: 'The path exists, but not with this method. The Allow header lists the methods that work.',
  },
  conflict: {
    status: 409,
    title: 'Conflict',
    help: 'The request does not fit what is stored: an id that is taken, or an Idempotency-Key used for another request.',
  },
  busy: {
    status: 409,
    title: 'Busy',
    help: 'The workspace is at the same kind of work already, such as an import. Wait until that is done; nothing was changed.',
  },
  duplicate_fact: {
    status: 409,
    title: 'Duplicate fact',
    help: 'A fact of the same type has the same front (or text), and `on_duplicate` is `error`. `duplicate_of` is its id; nothing was changed.',
  },
  card_suspended: {
    status: 409,
    title: 'Card suspended',
    help: 'A suspended card takes no answers. Unsuspend it first; nothing was changed.',
  },
  out_of_order: {
    status: 409,
    title: 'Out of order',
    help: 'The card was answered later than `reviewed_at` says, at `last_reviewed_at`. Answers of one card are sent in their order; nothing was changed.',
  },
  not_latest_review: {
    status: 409,
    title: 'Not the latest review',
    help: 'Only the latest review of a card that is not undone can be undone: `latest_id`. Nothing was changed.',
  },
  not_enough_reviews: {
    status: 409,
    title: 'Not enough reviews',
    help: 'Training needs 400 answers that came a day or more after the one before. `items` says how many there are; nothing was changed.',
  },
  edit_target_ambiguous: {
    status: 409,
    title: 'Ambiguous edit target',
    help: 'More than one place fits the target of an edit. `candidates` lists them, each with a target that means it alone; nothing was changed.',
  },
  edit_target_missing: {
    status: 409,
    title: 'Missing edit target',
    help: 'Nothing fits the target of an edit. `candidates` lists what comes nearest; nothing was changed.',
  },
  parent_cycle: {
    status: 409,
    title: 'Parent cycle',
    help: 'A task cannot be a part of itself or of one of its parts. Nothing was changed.',
  },
  dependency_cycle: {
    status: 409,
    title: 'Dependency cycle',
    help: 'Tasks would wait for each other in a circle. `path` holds their ids, each waiting for the next; nothing was changed.',
  },
  occurrence_passed: {
    status: 409,
    title: 'Occurrence passed',
    help: 'The `occurrence` is not the present due date: somebody completed or skipped it before. Nothing was changed.',
  },
  not_latest: {
    status: 409,
    title: 'Not the latest',
    help: 'Only the newest completion of a task can be undone. Undo those after it first; nothing was changed.',
  },
  changed_since: {
    status: 409,
    title: 'Changed since',
    help: 'What completing had changed was edited since; `members` names it. `force=true` undoes all the same; nothing was changed.',
  },
  too_many_affected: {
    status: 409,
    title: 'Too many affected',
    help: 'The request would change more than 10,000 notes, tasks or cards. Nothing was changed. Do it in parts: rename what is nested below first, or move notes and tasks away by themselves.',
  },
  rewrite_impossible: {
    status: 409,
    title: 'Links cannot be rewritten',
    help: 'More than 5,000 notes would have to change, or one would outgrow 1 MiB. Nothing was changed; `update_links=false` renames without.',
  },
  cursor_expired: {
    status: 410,
    title: 'Cursor expired',
    help: 'The change feed no longer reaches back that far. Read everything again and go on from `latest_seq`.',
  },
  precondition_failed: {
    status: 412,
    title: 'Precondition failed',
    help: 'The resource changed since the ETag in If-Match. `current` holds it as it is now; nothing was changed.',
  },
  too_large: { status: 413, title: 'Too large', help: 'The body is larger than this endpoint takes.' },
  unsupported_media_type: {
    status: 415,
    title: 'Unsupported media type',
    help: 'Send the body as Content-Type: application/json.',
  },
  rate_limited: {
    status: 429,
    title: 'Rate limit exceeded',
    help: 'The hourly limit is used up. Wait for Retry-After seconds, or add an API key.',
  },
  too_many_new_keys: {
    status: 429,
    title: 'Too many new keys',
    help: 'Too many keys that this server has not seen before came from your network. Use a key you already have, or wait.',
  },
  too_many_streams: {
    status: 429,
    title: 'Too many streams',
    help: 'As many streams of changes are open as one workspace may have. Close one, or read the feed page by page.',
  },
  quota_exceeded: {
    status: 429,
    title: 'Quota exceeded',
    help: 'Your workspace is full, and what is in the trash counts until it is erased: reading and deleting still work. Or the tokens of the day for a language model are used up: `satchel-local` needs none.',
  },
  internal: {
    status: 500,
    title: 'Internal server error',
    help: 'The fault is on the server. Its log has the details under the request_id.',
  },
  upstream_failed: {
    status: 502,
    title: 'Upstream failed',
    help: 'The model failed to answer. `actions` lists what chat did by then; nothing else was changed. For chat, the model `satchel-local` needs no other server.',
  },
  embeddings_unavailable: {
    status: 501,
    title: 'Embeddings unavailable',
    help: 'This server makes no embeddings: SEMANTIC and SEMANTIC_BASE_URL are unset, or the packages of SEMANTIC=local are not installed. Everything else works without them.',
  },
  unavailable: {
    status: 503,
    title: 'Unavailable',
    help: 'The server cannot read or write its data right now, or has no room for one more request of this kind. Try again in a moment; nothing was changed.',
  },
  upstream_timeout: {
    status: 504,
    title: 'Upstream timeout',
    help: 'The model was silent for too long. `actions` lists what chat did by then; nothing else was changed. For chat, the model `satchel-local` needs no other server.',
  },
  storage_full: {
    status: 507,
    title: 'Storage full',
    help: 'The disk of the server is nearly full, so what would add to its data is refused; with an Idempotency-Key, that is also an answer of more than 4 KiB. Reading, searching, deleting and restoring still work. Try again later, or tell the operator of the server.',
  },
  optimizer_missing: {
    status: 503,
    title: 'Optimizer missing',
    help: 'Weights are trained by an optional package, which is not installed on this server or does not load there. Everything else works without it; nothing was changed.',
  },
} as const satisfies Record<string, Kind>

export type ErrorCode = keyof typeof ERRORS

/** One fault of a validated request. `pointer` is a JSON Pointer (RFC 6901) into the body, or `/name` of a parameter. */
export interface Fault {
  readonly pointer: string
  readonly code: string
  readonly detail: string
}

/** Of more faults in one request only the first are reported: a hostile one has thousands. */
export const MAX_FAULTS_REPORTED = 20

/** A request that is refused. `extra` are further members of the error object, e.g. `current` or `errors`. */
export class ApiError extends Error {
  override readonly name = 'ApiError'

  constructor(
    readonly code: ErrorCode,
    readonly detail: string,
    readonly extra: Readonly<Record<string, unknown>> = {},
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(detail)
  }

  get status(): number {
    return ERRORS[this.code].status
  }
}

/** A 400 that points at one member of the body or one parameter. */
export function invalid(pointer: string, code: string, detail: string): ApiError {
  return new ApiError('invalid_request', detail, { errors: [{ pointer, code, detail } satisfies Fault] })
}

/** UTF-16 units of a name that a sentence shows. */
const NAME_SHOWN = 200

/** A name from a request as a sentence shows it: it may be as long as a body, and appears several times. */
export function shortenName(name: string): string {
  return name.length <= NAME_SHOWN ? name : `${name.slice(0, NAME_SHOWN)}…`.toWellFormed()
}

/** A failure of ours. The sentence is fixed: no internal text, SQL, path or stack reaches a client. */
export function internal(): ApiError {
  return new ApiError(
    'internal',
    'The server failed to answer this request. Its log has the details under this request_id.',
  )
}

/** Ollama and OpenAI clients read errors only under application/json: these paths get the same object so. */
const PLAIN_JSON = /^\/api\/(chat|embed|version|tags|show|ps|mcp|openai\/.*)\/?$/

/** The response for an error. `path` decides the media type, `requestId` ties the answer to the log. */
export function errorResponse(refusal: ApiError, path: string, requestId: string): Response {
  return new Response(JSON.stringify(errorBody(refusal, requestId)), {
    status: refusal.status,
    headers: {
      'Content-Type': PLAIN_JSON.test(path) ? 'application/json' : 'application/problem+json',
      'Cache-Control': 'no-store',
      ...refusal.headers,
    },
  })
}

/** The error object itself, for an answer that holds several. */
export function errorBody(refusal: ApiError, requestId: string) {
  return {
    type: `/docs/errors#${refusal.code}`,
    title: ERRORS[refusal.code].title,
    status: refusal.status,
    code: refusal.code,
    detail: refusal.detail,
    error: refusal.detail,
    request_id: requestId,
    ...refusal.extra,
  }
}
