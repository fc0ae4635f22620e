import { Kind, type Static, type TObject, type TProperties, Type, TypeRegistry } from '@sinclair/typebox'
import type { Session } from '../db/database'
import { ApiError } from '../http/api-error'
import type { Precondition } from '../http/responses'
import { writeInstant } from '../http/values'
import { editNames, titleKey } from '../lib/text'
import type { ToolResult } from './fit'
import {
  type ActionTarget,
  type ChangePreview,
  type ChatAction,
  type ChatUndo,
  closedObject,
  type UndoStep,
} from './schema'
import type { ToolServices } from './services'
import type { CitationSource } from './source'

/** The resources that a call may see; a member that is null does not limit them. */
export interface ToolScope {
  readonly types: readonly string[] | null
  readonly tags: readonly string[] | null
  readonly ids: readonly string[] | null
}

/** The types of a scope that make each kind visible: a card shows its fact, and which deck it is in. */
const VISIBLE_TYPES: Readonly<Record<ActionTarget['type'], readonly string[]>> = {
  note: ['note'],
  task: ['task'],
  fact: ['fact', 'card'],
  deck: ['deck', 'fact', 'card'],
}

/** Whether the scope shows resources of this kind at all. */
export function allowsKind({ types }: ToolScope, kind: ActionTarget['type']): boolean {
  return types === null || VISIBLE_TYPES[kind].some((type) => types.includes(type))
}

/** Whether the scope is limited to ids or tags: then counts and names of other resources must not be revealed. */
export function isNarrow({ tags, ids }: ToolScope): boolean {
  return tags !== null || ids !== null
}

interface ScopedResource {
  readonly kind: ActionTarget['type']
  /** Its ids; one of them must be in the scope. */
  readonly ids: readonly string[]
  /** Tags of a note or a fact, labels of a task. */
  readonly tags: readonly string[]
}

/** Whether the scope shows a resource: its kind, all tags of the scope, and one of its ids must match. */
export function showsResource(scope: ToolScope, { kind, ids, tags }: ScopedResource): boolean {
  if (!allowsKind(scope, kind)) return false
  if (scope.ids && !ids.some((id) => scope.ids?.includes(id))) return false
  const keys = new Set(tags.map(titleKey))
  return scope.tags === null || scope.tags.every((tag) => keys.has(titleKey(tag)))
}

/** Creates the error for a resource that the scope hides: the same as for one that does not exist. */
export function notInScope(kind: string): ApiError {
  return new ApiError('not_found', `There is no such ${kind} that may be seen here.`)
}

/** Throws not_found if the scope hides this kind of resource; then none may be created either. */
export function requireKind(scope: ToolScope, kind: ActionTarget['type']): void {
  if (!allowsKind(scope, kind)) throw notInScope(kind)
}

export interface ToolContext {
  readonly session: Session
  readonly scope: ToolScope
  /** The mode of the request: in `read`, there are no writing tools. */
  readonly mode: 'read' | 'write'
  /** An IANA name, for dates and times without a zone. */
  readonly timeZone: string
  /** Milliseconds since 1970. */
  readonly now: number
  /** Once it is aborted, no tool runs any more. */
  readonly signal: AbortSignal
  /** Whether a model has read stored text, which may hold instructions: then its updates must be confirmed. */
  readonly hasReadText: boolean
  /** Whether every change must be confirmed, since it is not sure that the caller wants it; false if absent. */
  readonly asksFirst?: boolean
  /** Records the action of each write, in the transaction of the write (`tx`). */
  readonly record: (tx: Session, action: ChatAction) => Promise<void>
}

/** Returns the ranges of the `sentences` best sentences of a body, in UTF-16 units and in order. */
type Summarize = (
  body: string,
  sentences: number,
) => Promise<readonly { readonly start: number; readonly end: number }[]>

export interface ToolDeps {
  readonly services: ToolServices
  readonly summarize: Summarize
}

export interface ToolOutcome {
  /** A JSON object of at most 4 KiB; a model gets this. */
  readonly result: Readonly<Record<string, unknown>>
  /** The action for the caller: done, pending, failed or denied. Null for reads. */
  readonly action: ChatAction | null
  /** Why the tool did nothing: an error code and a sentence. Null if it worked. */
  readonly fault: { readonly code: string; readonly detail: string } | null
  /** The sources that were read, best first: cited by the text or, if it cites nothing, listed with `cited: false`. */
  readonly sources: readonly CitationSource[]
}

/** Lists what a tool did not understand of the words that it was given, a sentence each. */
export const warningsOf = (result: ToolOutcome['result'] | null): string[] =>
  Array.isArray(result?.warnings) ? result.warnings.map(String) : []

export interface ReadOutcome {
  readonly result: ToolResult
  /** The sources that were read, best first. */
  readonly sources: readonly CitationSource[]
}

export interface WriteOutcome {
  readonly result: ToolResult
  /** Its present state. */
  readonly target: ActionTarget
  /** A sentence that says what was done. */
  readonly summary: string
  /** The requests that undo it, in the order to send them; empty if nothing changed. */
  readonly undo: readonly UndoStep[]
}

export interface ChangePlan {
  /** Its present state. */
  readonly target: ActionTarget
  /** A sentence that says what would be done. */
  readonly summary: string
  /** Whether the caller must confirm it. */
  readonly confirm: boolean
  /** Returns what it would change. Called only if that is shown, in the same transaction. Throws as `run` would. */
  readonly preview: () => ChangePreview | Promise<ChangePreview>
}

interface ToolBase<Input extends TObject> {
  readonly name: string
  readonly title: string
  readonly description: string
  /** Plain JSON Schema of a closed object. */
  readonly input: Input
  /**
   * Plain JSON Schema of every result that is no fault, as agents get it, of the tools whose results programs go through.
   * The list of all tools is short, so others have none.
   */
  readonly output?: TObject
  /** What stored text its results hold, which may be instructions of strangers; absent for none. */
  readonly returnsText?: 'titles' | 'texts'
}

export interface ReadTool<Input extends TObject = TObject> extends ToolBase<Input> {
  readonly risk: 'read'
  run(args: Static<Input>, context: ToolContext): Promise<ReadOutcome>
}

/** A tool that creates something. It never needs a confirmation. */
export interface CreateTool<Input extends TObject = TObject> extends ToolBase<Input> {
  readonly risk: 'create'
  /**
   * Does what takes long before the transaction, so that other writers need not wait; returns the tool that goes on with
   * it. Throws ApiErrors.
   */
  prepare?(args: Static<Input>, context: ToolContext): Promise<CreateTool<Input>>
  /** `context.session` is a transaction. */
  run(args: Static<Input>, context: ToolContext): Promise<WriteOutcome>
}

/** A tool that changes or trashes something, which may need a confirmation. */
export interface ChangeTool<Input extends TObject = TObject> extends ToolBase<Input> {
  readonly risk: 'update' | 'delete'
  /** Like that of CreateTool. */
  prepare?(args: Static<Input>, context: ToolContext): Promise<ChangeTool<Input>>
  /** Reads, after the transaction of the change, what its result says besides. */
  follow?(args: Static<Input>, context: ToolContext): Promise<ToolResult>
  /** Plans the change. Throws an ApiError if the scope has no such resource. */
  plan(args: Static<Input>, context: ToolContext): Promise<ChangePlan>
  /** `context.session` is a transaction. */
  run(args: Static<Input>, context: ToolContext, precondition: Precondition): Promise<WriteOutcome>
}

export type Tool = ReadTool | CreateTool | ChangeTool

export const resourceIdSchema = () => Type.String({ maxLength: 36 })

export const limitSchema = (maximum: number) => Type.Optional(Type.Integer({ minimum: 1, maximum }))

const tagSchema = () => Type.Optional(textSchema(100))

export const tagChanges = () => ({ tag: tagSchema(), untag: tagSchema() })

/** Returns tags or labels as a call with tagChanges leaves them. */
export function changeNames(names: readonly string[], tag: string | undefined, untag: string | undefined): string[] {
  return editNames(names, tag === undefined ? [] : [tag], untag === undefined ? [] : [untag])
}

const CHOICE = 'ToolChoice'
TypeRegistry.Set<{ readonly enum: readonly unknown[] }>(CHOICE, (schema, value) =>
  schema.enum.some((one) => one === value),
)

/** Creates the schema of one of some words, which takes a third of the JSON of a union of literals. */
export const choiceSchema = <const Words extends readonly string[]>(words: Words, description?: string) =>
  Type.Unsafe<Words[number]>({ [Kind]: CHOICE, type: 'string', enum: words, ...(description && { description }) })

/** Creates the schema of one of some words in results, which takes still less. */
export const wordSchema = (words: readonly string[]) => Type.Unsafe<string>({ [Kind]: CHOICE, enum: words })

/** Creates the schema of a list of objects in results. The list of all tools is short, so they are not closed there. */
export const listSchema = (members: TProperties) => Type.Array(Type.Object(members))

const TEXT_OR_NULL = 'ToolTextOrNull'
TypeRegistry.Set<{ readonly maxLength?: number }>(
  TEXT_OR_NULL,
  ({ maxLength = Infinity }, value) => value === null || (typeof value === 'string' && value.length <= maxLength),
)

/** Creates the schema of a text or null, which takes half of the JSON of a union. */
export const textOrNull = (limits: { readonly maxLength?: number } = {}) =>
  Type.Unsafe<string | null>({ [Kind]: TEXT_OR_NULL, type: ['string', 'null'], ...limits })

/** Creates the schema of the results of a reading tool. `untrusted` is added for agents, see ToolBase.returnsText. */
export const readOutput = <Members extends TProperties>(members: Members) =>
  closedObject({ ...members, truncated: optionalBoolean(), untrusted: optionalBoolean() })

const optionalBoolean = () => Type.Optional(Type.Boolean())

/** What services of tasks need to read days and times as the caller means them. */
export const asOf = ({ timeZone, now }: Pick<ToolContext, 'timeZone' | 'now'>) => ({
  time_zone: timeZone,
  now: writeInstant(now),
})

export const textSchema = (maxLength: number) => Type.String({ maxLength })

/** The paths of resources that tools change. */
export const COLLECTIONS = {
  note: '/api/notes',
  task: '/api/tasks',
  fact: '/api/flashcards/facts',
  deck: '/api/flashcards/decks',
} as const

export function resourcePath({ type, id }: Pick<ActionTarget, 'type' | 'id'>): string {
  return `${COLLECTIONS[type]}/${id}`
}

/** Returns the request that takes back a new or restored resource: to the trash. */
export function undoCreation(resource: Pick<ActionTarget, 'type' | 'id'>, etag: string): UndoStep {
  return { method: 'DELETE', path: resourcePath(resource), body: null, if_match: etag }
}

/**
 * Joins requests into one undo, in order; null if there are none. Only the first request for a resource has If-Match: it
 * creates a new revision, which the later requests cannot know.
 */
export function joinUndo(steps: readonly UndoStep[]): ChatUndo | null {
  const held = new Set<string>()
  const [first, ...next] = steps.map((step) => {
    const resource = resourceOf(step)
    if (held.has(resource)) return { ...step, if_match: null }
    held.add(resource)
    return step
  })
  return first ? { ...first, next } : null
}

export const resourceOf = ({ path }: UndoStep): string => ID.exec(path)?.[0] ?? path

export const listUndoSteps = ({ next, ...first }: ChatUndo): UndoStep[] => [first, ...next]

/** Joins the undos of actions, the newest first. */
export function undoAll(actions: readonly ChatAction[]): ChatUndo | null {
  return joinUndo(actions.toReversed().flatMap(({ undo }) => (undo ? listUndoSteps(undo) : [])))
}

const ID = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/
