import type { Session } from '../db/database'
import type { Tagged } from '../http/conditional'
import type { ToolServices } from '../tools/services'

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
    /** Returns the bytes of bodies by the ids of their notes. */
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
