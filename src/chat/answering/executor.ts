import type { Session } from '../../db/database'
import type { Scope } from '../request'
import type { ToolOutcome } from '../run'
import type { Action } from '../schema'

/** What a call of a tool may do, and for whom. */
export interface ToolContext {
  readonly session: Session
  readonly scope: Scope
  readonly mode: 'read' | 'write'
  readonly timezone: string
  /** Milliseconds since 1970. */
  readonly now: number
  readonly signal: AbortSignal
  /** A run with a model has read bodies or quotes: its updates wait for a confirmation. */
  readonly wary: boolean
  /** Called in the transaction of each write, with what it did. */
  readonly record: (tx: Session, action: Action) => Promise<void>
}

/** What runs tools: everything that chat changes goes through it. */
export interface Executor {
  call(context: ToolContext, name: string, args: unknown): Promise<ToolOutcome>
  /** Does what waits for these tokens or this code. @throws Refusal confirmation_unknown */
  confirm(context: ToolContext, by: { tokens: readonly string[]; code: string | null }): Promise<ToolOutcome[]>
}
