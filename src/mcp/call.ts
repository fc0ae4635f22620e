import type { Session } from '../db/database'

/** One POST: who calls, and what they may do. */
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
