import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'
import type { Session } from '../db/database'
import { ApiError } from '../http/api-error'
import type { Tagged } from '../http/conditional'
import type { ToolServices } from '../tools/services'

export interface McpCall {
  readonly session: Session
  /** `read` with ?mode=read: reading tools alone. */
  readonly mode: 'read' | 'write'
  /** An IANA name, from the workspace's settings. */
  readonly timeZone: string
  /** Milliseconds since 1970. */
  readonly now: number
  readonly signal: AbortSignal
  /** The era of the protocol: 2026-07-28 or one of 2025. */
  readonly era: 'modern' | 'legacy'
}

/** What the handlers of a POST tell the endpoint beside their results. */
export interface McpExchange {
  readonly request: Request
  /**
   * Reports an error that is no result of the protocol: an ApiError that any endpoint would answer with its status, or
   * a fault of ours. The whole POST is answered with the first one.
   */
  fail(error: unknown): void
  /** Reports that the result is the stored one of an earlier request with the same Idempotency-Key. */
  markReplayed(): void
}

export function invalidParams(detail: string, data: Readonly<Record<string, unknown>> = {}): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, detail, { code: 'invalid_request', ...data })
}

/** Throws ApiErrors that the caller can mend as invalid parameters, with our code in `data`; see createEndpoint. */
export async function withProtocolErrors<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error
    throw invalidParams(error.detail, { code: error.code })
  }
}

/** What resources, prompts and subscriptions read of the other features. All of it is bounded, and none writes. */
export interface McpServices {
  readonly notes: McpNotes
  readonly agenda: (
    session: Session,
    query: { readonly from: string; readonly to: string; readonly time_zone: string },
  ) => Promise<McpAgenda>
  readonly flashcards: Pick<ToolServices['flashcards'], 'queue' | 'listDecks'>
}

export interface McpNoteSummary {
  readonly id: string
  readonly revision: number
  readonly updated_at: string
  readonly deleted_at: string | null
  readonly archived_at: string | null
  readonly title: string
}

export interface McpNote extends McpNoteSummary {
  readonly body: string
}

export interface McpMatches {
  readonly names: readonly string[]
  readonly more: boolean
}

/** A note by its names, living or in the trash. */
export interface McpNoteName {
  readonly id: string
  readonly title: string
  readonly daily_date: string | null
  /** Milliseconds since 1970; null: it is not archived. */
  readonly archived_at: number | null
  /** Milliseconds since 1970; null: it is not in the trash. */
  readonly deleted_at: number | null
}

export interface McpNotes {
  /** Throws not_found. A note in the trash is found. */
  get(session: Session, id: string): Promise<Tagged<McpNote>>
  /** Lists living notes, newest first. */
  list(
    session: Session,
    query: {
      readonly limit: string
      readonly cursor?: string
      readonly title?: string
      readonly archived?: 'any'
      readonly updated_from?: string
    },
  ): Promise<{ readonly items: readonly McpNoteSummary[]; readonly next_cursor: string | null }>
  readonly names: {
    list(session: Session, ids: readonly string[]): Promise<readonly McpNoteName[]>
    /** Returns the id of the living note of a day; null if there is none. */
    findDaily(session: Session, date: string): Promise<string | null>
    bodyBytes(session: Session, ids: readonly string[]): Promise<ReadonlyMap<string, number>>
    completeTitle(session: Session, text: string, limit: number): Promise<McpMatches>
    completeDate(session: Session, text: string, limit: number): Promise<McpMatches>
  }
}

export interface McpAgenda {
  readonly time_zone: string
  readonly overdue: readonly McpOverdueTask[]
  readonly overdue_more: boolean
  readonly days: readonly McpAgendaDay[]
  readonly next_from: string | null
}

export interface McpAgendaDay {
  readonly date: string
  readonly items: readonly {
    readonly task_id: string
    readonly title: string
    readonly kind: 'due' | 'start'
    readonly time: string | null
    readonly projected: boolean
  }[]
  readonly more: boolean
}

interface McpOverdueTask {
  readonly id: string
  readonly title: string
  readonly due: { readonly date: string; readonly time: string | null } | null
}
