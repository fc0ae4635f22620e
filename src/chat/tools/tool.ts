import { type Static, type TObject, Type } from '@sinclair/typebox'
import type { Session } from '../../db/database'
import type { Precondition } from '../../http/conditional'
import type { ToolResult } from './fit'
import type { ActionTarget, ChangePreview, ChatAction, ChatUndo, UndoStep } from './schema'
import type { ChatScope } from './scope'
import type { ChatServices } from './services'
import type { CitationSource } from './source'

/** For whom, when and within what bounds a tool runs. */
export interface ToolContext {
  readonly session: Session
  readonly scope: ChatScope
  /** With `read`, no writing tool exists. */
  readonly mode: 'read' | 'write'
  /** An IANA name, for dates and times without a zone. */
  readonly timeZone: string
  /** Milliseconds since 1970. */
  readonly now: number
  /** Aborted: no tool runs any more. */
  readonly signal: AbortSignal
  /** A run with a model has read bodies or quotes: what it updates must be confirmed. */
  readonly hasReadText: boolean
  /** Called in the transaction of each write (`tx`) with the action that it is. */
  readonly record: (tx: Session, action: ChatAction) => Promise<void>
}

/** Ranges of a body, in UTF-16 units and in their order: its `sentences` best sentences. */
type Summarize = (body: string, sentences: number) => readonly { readonly start: number; readonly end: number }[]

/** What all tools are made of. */
export interface ToolDeps {
  readonly services: ChatServices
  readonly summarize: Summarize
}

/** What came of a call of a tool. */
export interface ToolOutcome {
  /** A JSON object of at most 4 KiB; for an engine with a model, what the model receives. */
  readonly result: Readonly<Record<string, unknown>>
  /** What was done, is pending, failed or was denied, for the caller; null for plain reads. */
  readonly action: ChatAction | null
  /** Why the tool did nothing: an error code of ours and a sentence. Null if it did what the call says. */
  readonly fault: { readonly code: string; readonly detail: string } | null
  /** What was read, the best first: cited by the text or, if a text cites nothing, listed with `cited: false`. */
  readonly sources: readonly CitationSource[]
}

export interface ReadOutcome {
  readonly result: ToolResult
  /** What was read, the best first. */
  readonly sources: readonly CitationSource[]
}

export interface WriteOutcome {
  readonly result: ToolResult
  /** As it is now. */
  readonly target: ActionTarget
  /** What was done, in a sentence. */
  readonly summary: string
  /** What takes it back, in the order to send it in; empty where nothing changed. */
  readonly undo: readonly UndoStep[]
}

/** What an update or a deletion comes to, before it is done. */
export interface ChangePlan {
  /** As it is now. */
  readonly target: ActionTarget
  /** What would be done, in a sentence. */
  readonly summary: string
  /** Only the caller can have it done. */
  readonly confirm: boolean
  /** What it would change. Called only where that is shown, in the same transaction. Throws as `run` would. */
  readonly preview: () => ChangePreview | Promise<ChangePreview>
}

interface ToolBase<Input extends TObject> {
  readonly name: string
  readonly title: string
  readonly description: string
  /** Plain JSON Schema of a closed object. */
  readonly input: Input
}

export interface ReadTool<Input extends TObject = TObject> extends ToolBase<Input> {
  readonly risk: 'read'
  run(args: Static<Input>, context: ToolContext): Promise<ReadOutcome>
}

export interface CreateTool<Input extends TObject = TObject> extends ToolBase<Input> {
  readonly risk: 'create'
  /** `context.session` is a transaction. */
  run(args: Static<Input>, context: ToolContext): Promise<WriteOutcome>
}

export interface ChangeTool<Input extends TObject = TObject> extends ToolBase<Input> {
  readonly risk: 'update' | 'delete'
  /** Throws an ApiError where there is nothing of that kind in the scope. */
  plan(args: Static<Input>, context: ToolContext): Promise<ChangePlan>
  /** `context.session` is a transaction. */
  run(args: Static<Input>, context: ToolContext, precondition: Precondition): Promise<WriteOutcome>
}

export type Tool = ReadTool | CreateTool | ChangeTool

/** The name of one resource. */
export const resourceIdSchema = () => Type.String({ maxLength: 36 })

/** A number of things, from 1. */
export const limitSchema = (maximum: number) => Type.Optional(Type.Integer({ minimum: 1, maximum }))

/** A text of at most so many UTF-16 units. */
export const textSchema = (maxLength: number) => Type.String({ maxLength })

const COLLECTIONS = {
  note: '/api/notes',
  task: '/api/tasks',
  fact: '/api/flashcards/facts',
  deck: '/api/flashcards/decks',
} as const

/** The address of a resource. */
export function resourcePath({ type, id }: Pick<ActionTarget, 'type' | 'id'>): string {
  return `${COLLECTIONS[type]}/${id}`
}

/** An undo that sends these requests, in their order; null without any. */
export function joinUndo([first, ...next]: readonly UndoStep[]): ChatUndo | null {
  return first ? { ...first, next } : null
}

/**
 * Takes back all that these actions did, the newest first. Only the first request about a resource holds its revision:
 * that request gives it a new one, which the requests after it cannot know.
 */
export function undoAll(actions: readonly ChatAction[]): ChatUndo | null {
  const steps = actions.toReversed().flatMap(({ undo }) => {
    if (!undo) return []
    const { next, ...first } = undo
    return [first, ...next]
  })
  const held = new Set<string>()
  return joinUndo(
    steps.map((step) => {
      const [resource = step.path] = ID.exec(step.path) ?? []
      if (held.has(resource)) return { ...step, if_match: null }
      held.add(resource)
      return step
    }),
  )
}

/** The first id of a path is that of its resource. */
const ID = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/
