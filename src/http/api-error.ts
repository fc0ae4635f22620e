/**
 * All error codes, and the common error object (RFC 9457). A service refuses a request by throwing an ApiError. Any other error is a fault of ours and becomes `internal`.
 */

/**
 * Every error code of the API by its status, with what the caller can do about it, which /docs/errors shows. Codes are
 * stable: one may be added, but none changes its meaning. Of several codes with one status the most common comes first,
 * since the API document shows it as the example.
 */
const HELP = {
  400: {
    invalid_request:
      'A parameter, header or member of the body is missing or not allowed. `errors` points at each; nothing was changed.',
    invalid_json: 'The body is not JSON in UTF-8, or is nested deeper than 64 levels. Nothing was changed.',
    invalid_api_key:
      'X-API-Key does not have the form of a key, or a key came in Authorization, which is not read. Send it in X-API-Key, make one on the key page, or leave it out for the free tier.',
    invalid_cursor: 'A cursor works only with the sort and the filters it was made with. Start again without it.',
    invalid_query:
      'The search cannot be read. `column` is the position of the fault, in characters from 1. Text in double quotes is never an operator.',
    invalid_filter:
      'The filter cannot be read, or names something that does not exist. Each of `errors` has the position of a fault, in `column` and `length` (characters, from 1), and in `expected` what could be there.',
    unsupported_parameter:
      'The parameter is known from other chat servers, but this one does not offer it. Leave it out; nothing was changed.',
    confirmation_unknown:
      'No action waits for this token: it is unknown, spent or expired. Ask for the action again; nothing was changed.',
    unsupported_recurrence:
      'The rule is one of RFC 5545 that tasks cannot repeat by: seconds, several rules, other calendars, or hours and minutes for a task that is due on a whole day. Nothing was changed.',
    recurrence_never_occurs:
      'The rule has no date between its anchor and the end of 2200, for example because it asks for 30 February. Nothing was changed.',
    empty_title: 'No title remains: the whole text was read as dates, labels and the like. Nothing was changed.',
    archive_refused:
      'The file cannot be imported as a whole: it is cut off, broken, claims far more than it holds, or would take far too long to read. Nothing was changed.',
    invalid_package:
      'The file is not an Anki package, or is broken: `detail` says what is wrong with it. Nothing was changed.',
    unsupported_package:
      'This server does not know the layout of the Anki package. Export it again, with support for older versions; nothing was changed.',
    too_many_links: 'A note may hold at most 10,000 wiki links. Nothing was changed.',
  },
  403: {
    forbidden_origin:
      'A web page of another origin called /api/mcp without a key. Send a key, or ask the operator to name the origin in CORS_ORIGIN. Nothing was changed.',
  },
  404: {
    not_found: 'There is nothing at this path, or not in your workspace.',
    model_not_found: 'There is no such chat model for this caller. Use `auto`, or leave `model` out.',
  },
  405: {
    method_not_allowed: 'The path exists, but not with this method. The Allow header lists the methods that work.',
  },
  409: {
    conflict:
      'The request conflicts with stored data: an id that is taken, or an Idempotency-Key that was used for another request.',
    busy: 'The same kind of work, such as an import, is already running in the workspace. Wait until it is done; nothing was changed.',
    duplicate_fact:
      'A fact of the same type has the same front (or text), and `on_duplicate` is `error`. `duplicate_of` is its id; nothing was changed.',
    card_suspended:
      'A suspended card takes no answers. Unsuspend it first; nothing was changed. If an answer suspended it as a leech, answers with `reviewed_at` are taken, since they may have been given offline.',
    out_of_order: 'The answer is late, and more than 200 answers of the card are later. Nothing was changed.',
    not_latest_review:
      'Only the review of a card that arrived last and is not undone can be undone: `latest_id`. Nothing was changed.',
    not_enough_reviews:
      'Training needs 400 answers that came a day or more after the previous one. `items` says how many there are; nothing was changed.',
    edit_target_ambiguous:
      'More than one place fits the target of an edit. `candidates` lists them, each with an unambiguous target; nothing was changed.',
    edit_target_missing:
      'Nothing fits the target of an edit. `candidates` lists the nearest matches; nothing was changed.',
    parent_cycle: 'A task cannot be a subtask of itself or of one of its subtasks. Nothing was changed.',
    dependency_cycle:
      'Tasks would wait for each other in a circle. `path` holds their ids, each waiting for the next; nothing was changed.',
    occurrence_passed:
      'The `occurrence` is not the present due date: it was already completed or skipped. Nothing was changed.',
    not_latest: 'Only the newest completion of a task can be undone. Undo those after it first; nothing was changed.',
    changed_since:
      'Members that the completion changed were edited since; `members` names them. `force=true` undoes it anyway; nothing was changed.',
    too_many_affected:
      'The request would change more than 10,000 notes, tasks or cards. Nothing was changed. Do it in parts: rename nested folders or tags first, or move notes and tasks separately.',
    rewrite_impossible:
      'More than 5,000 notes would have to change, or one would outgrow 1 MiB. Nothing was changed; `update_links=false` renames without rewriting links.',
  },
  410: {
    cursor_expired:
      'The change feed no longer reaches back that far. Read everything again and continue from `latest_seq`.',
  },
  412: {
    precondition_failed:
      'The resource changed since the ETag in If-Match. `current` is its present state; nothing was changed.',
  },
  413: {
    too_large: 'The body is larger than this endpoint accepts.',
  },
  415: {
    unsupported_media_type: 'Send the body as Content-Type: application/json.',
  },
  416: {
    range_not_satisfiable: 'The file has no bytes where Range begins. Content-Range says how many it has.',
  },
  429: {
    rate_limited: 'The hourly limit is used up. Wait for Retry-After seconds, or add an API key.',
    too_many_new_keys:
      'Your network sent too many keys that this server has not seen before, or too many in another format that your network has not used before. Use a key that it has used, or one made on the key page, or wait.',
    too_many_streams:
      'The workspace has the maximum number of open streams of changes. Close one, or read the feed page by page.',
    quota_exceeded:
      'Your workspace is full: reading and deleting still work, and the trash counts until it is erased. Or the daily tokens for the language model are used up: `satchel-local` needs none.',
  },
  500: {
    internal: 'The fault is on the server. Its log has the details under the request_id.',
  },
  501: {
    embeddings_unavailable:
      'This server makes no embeddings: SEMANTIC_BASE_URL is unset. Everything else works without them.',
    optimizer_missing:
      'Weights are trained by an optional package, which is not installed on this server or does not load there. Everything else works without it; nothing was changed.',
  },
  502: {
    upstream_failed:
      'The model failed to answer. `actions` lists what chat had already done; nothing else was changed. For chat, the model `satchel-local` needs no other server.',
  },
  503: {
    unavailable:
      'The server cannot read or write its data right now, cannot take another request of this kind, or did not finish one within 24 seconds. Try again in a moment; nothing was changed.',
  },
  504: {
    upstream_timeout:
      'The model was silent for too long. `actions` lists what chat had already done; nothing else was changed. For chat, the model `satchel-local` needs no other server.',
  },
  507: {
    storage_full:
      'The disk of the server is nearly full, so requests that would add data are refused; with an Idempotency-Key, also those whose response has more than 4 KiB. Reading, searching, deleting and restoring still work. Try again later, or tell the operator of the server.',
  },
} as const

interface Kind {
  readonly status: number
  readonly title: string
  readonly help: string
}

type Help = typeof HELP
export type ErrorCode = { [Status in keyof Help]: keyof Help[Status] }[keyof Help]

/** Those that are not the words of the code. */
const TITLES: Partial<Record<string, string>> = {
  invalid_json: 'Invalid JSON',
  invalid_api_key: 'Invalid API key',
  confirmation_unknown: 'Unknown confirmation',
  not_latest_review: 'Not the latest review',
  edit_target_ambiguous: 'Ambiguous edit target',
  edit_target_missing: 'Missing edit target',
  not_latest: 'Not the latest',
  rewrite_impossible: 'Links cannot be rewritten',
  rate_limited: 'Rate limit exceeded',
  internal: 'Internal server error',
}

const titleOf = (code: string) =>
  TITLES[code] ?? code.replace(/^./, (letter) => letter.toUpperCase()).replaceAll('_', ' ')

/** The status, the title and the help of each error code. The bundle of the app leaves it out, since it is pure. */
export const ERRORS = /* @__PURE__ */ describeErrors()

function describeErrors() {
  const all = Object.entries(HELP).flatMap(([status, kinds]) =>
    Object.entries(kinds).map(([code, help]) => [code, { status: Number(status), title: titleOf(code), help }]),
  )
  return Object.fromEntries(all) as Readonly<Record<ErrorCode, Kind>>
}

/** One fault of a request. `pointer` is a JSON Pointer (RFC 6901) into the body, or `/name` of a parameter. */
export interface Fault {
  readonly pointer: string
  readonly code: string
  readonly detail: string
}

/** Faults of one request that are reported: a hostile request may have thousands. */
export const MAX_FAULTS_REPORTED = 20

/** Refuses a request when thrown. `extra` has further members of the error object, e.g. `current` or `errors`. */
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

export function invalid(pointer: string, code: string, detail: string): ApiError {
  return new ApiError('invalid_request', detail, { errors: [{ pointer, code, detail } satisfies Fault] })
}

/** Makes an unavailable of what may be over in a moment, so that a client tries again by itself after 5 seconds. */
export function busy(detail: string): ApiError {
  return new ApiError('unavailable', detail, {}, { 'Retry-After': '5' })
}

/** UTF-16 units of a name that an error message shows. */
const MAX_SHOWN_UNITS = 200

/** Shortens a name from a request for an error message: the name may be as long as the body. */
export function shortenName(name: string): string {
  return name.length <= MAX_SHOWN_UNITS ? name : `${name.slice(0, MAX_SHOWN_UNITS)}…`.toWellFormed()
}

/** The message is fixed: no internal text, SQL, path or stack may reach a client. */
export function internal(): ApiError {
  return new ApiError(
    'internal',
    'The server failed to answer this request. Its log has the details under this request_id.',
  )
}

/** Returns null for the error of something that does not exist, for `catch`; throws every other error. */
export function ifNotFound(error: unknown): null {
  if (error instanceof ApiError && error.code === 'not_found') return null
  throw error
}

export function errorBody(error: ApiError, requestId: string) {
  return {
    type: `/docs/errors#${error.code}`,
    title: ERRORS[error.code].title,
    status: error.status,
    code: error.code,
    detail: error.detail,
    error: error.detail,
    request_id: requestId,
    ...error.extra,
  }
}

/** The member of a route's `detail` with the errors that are its own. The document has them as responses instead. */
export const OWN_ERRORS = 'x-errors'

/** Errors of a route's own: not those of any request, nor of any with an id, an Idempotency-Key or If-Match. */
export function refuses(...codes: (keyof typeof ERRORS)[]): object {
  return { [OWN_ERRORS]: codes }
}
