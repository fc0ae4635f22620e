import { type ObjectOptions, type Static, Type } from '@sinclair/typebox'
import { nullable } from '../http/schema'

/** Creates the schema of an object with exactly these members. */
export const closedObject = <T extends Parameters<typeof Type.Object>[0]>(members: T, options: ObjectOptions = {}) =>
  Type.Object(members, { additionalProperties: false, ...options })

export const oneOf = <const Values extends readonly string[]>(...values: Values) =>
  Type.Unsafe<Values[number]>(Type.Union(values.map((value) => Type.Literal(value))))

export const countSchema = (description: string) => Type.Integer({ minimum: 0, description })

export const chatCitation = closedObject({
  n: Type.Integer({ minimum: 1, description: 'The mark `[n]` in the text.' }),
  type: oneOf('note', 'task', 'fact'),
  id: Type.String(),
  title: Type.String(),
  revision: Type.Integer({ minimum: 1 }),
  quote: Type.String({ description: 'Exactly as in the body of that revision.' }),
  start: countSchema('Code points before the quote in the body.'),
  end: countSchema('Code points before the end of the quote.'),
  url: Type.String(),
  cited: Type.Boolean({ description: 'Whether the text has the mark.' }),
})

/** Creates the schema of an object with some of these members. Static types see a record, since tools make it. */
const someOf = (members: Parameters<typeof Type.Object>[0], description: string) =>
  Type.Unsafe<Readonly<Record<string, unknown>>>(Type.Partial(Type.Object(members), { description }))

const textList = () => Type.Array(Type.String())

const when = nullable(
  Type.Object({ date: Type.String(), time: nullable(Type.String()), time_zone: nullable(Type.String()) }),
)

export const undoBody = someOf(
  {
    title: Type.String(),
    folder: nullable(Type.String()),
    tags: textList(),
    notes: Type.String(),
    status: Type.String(),
    priority: Type.Integer(),
    due: when,
    labels: textList(),
    project_id: nullable(Type.String()),
    rating: Type.Integer(),
    reviewed_at: Type.String(),
    time_zone: Type.String(),
  },
  'The body: the members as they were, or what its call takes.',
)

const item = Type.Object({
  id: Type.String(),
  title: Type.String(),
  due: Type.Optional(nullable(Type.String())),
  time_zone: Type.Optional(Type.String()),
  priority: Type.Optional(Type.Integer()),
  repeats: Type.Optional(Type.Boolean()),
})

/** What a tool says of what it did. */
export const actionResult = someOf(
  {
    id: Type.String(),
    type: Type.String(),
    title: Type.String(),
    revision: Type.Integer(),
    due: nullable(Type.String()),
    time_zone: Type.String(),
    priority: Type.Integer(),
    labels: textList(),
    done: Type.Boolean(),
    next_due: Type.String(),
    due_at: nullable(Type.String()),
    deck: Type.Object({ id: Type.String(), name: Type.String() }),
    items: Type.Array(item),
    skipped: Type.Integer(),
    undone: Type.Integer(),
    ids: textList(),
    warnings: textList(),
    truncated: Type.Boolean({ description: 'Whether some of it was left out, for its length.' }),
  },
  'What was done, in members that depend on the tool.',
)

export const actionTarget = closedObject({
  type: oneOf('note', 'task', 'fact', 'deck'),
  id: Type.String(),
  title: Type.String(),
  revision: Type.Integer({
    minimum: 1,
    description: 'The revision after the action if it is done, before it if it is pending.',
  }),
})

const step = {
  method: oneOf('POST', 'PATCH', 'DELETE'),
  path: Type.String(),
  body: nullable(undoBody),
  if_match: nullable(
    Type.String({
      description: 'The header If-Match. Null if an earlier request of the same undo has checked the revision.',
    }),
  ),
}

export const undoStep = closedObject(step)

export const chatUndo = closedObject(
  {
    ...step,
    next: Type.Array(undoStep, {
      description: 'Requests to send after it, in this order, until one is refused.',
    }),
  },
  { description: 'A request that undoes a change, ready to send.' },
)

export const changedText = closedObject({
  text: Type.String({ description: 'At most 2 KiB of UTF-8, whole characters.' }),
  clipped: Type.Boolean({ description: 'Whether the text is longer than shown.' }),
})

export const changePreview = closedObject(
  {
    start: countSchema('Code points of the text before the lines that are shown.'),
    before: changedText,
    after: nullable(changedText),
  },
  {
    description:
      'The change that a confirmation would make: of a note the lines of its body, of tasks and flashcards their members as ' +
      'JSON, one a line, before and after. `after` is null for a move to the trash.',
  },
)

export const chatConfirmation = closedObject({
  token: Type.String({ description: 'For `confirm` of a request.' }),
  code: Type.String({ description: 'For a message `confirm CODE`, or `cancel CODE`.' }),
  expires_at: Type.String(),
})

/** An action that was done, or waits to be confirmed. */
export const chatAction = closedObject({
  n: Type.Integer({ minimum: 1 }),
  tool: Type.String(),
  risk: oneOf('read', 'create', 'update', 'delete'),
  status: oneOf('done', 'pending', 'failed', 'denied'),
  target: nullable(actionTarget),
  summary: Type.String(),
  after_reading: Type.Boolean({
    description:
      'Whether a model requested it after it had read text of notes or flashcards, which may contain instructions.',
  }),
  preview: nullable(changePreview),
  result: nullable(actionResult),
  undo: nullable(chatUndo),
  confirm: nullable(chatConfirmation),
  error: nullable(closedObject({ code: Type.String(), detail: Type.String() })),
})

export type ChatCitation = Static<typeof chatCitation>
export type ChatAction = Static<typeof chatAction>
export type ActionTarget = Static<typeof actionTarget>
export type ChatUndo = Static<typeof chatUndo>
/** A request that undoes a change, or a part of one. `if_match` is the header If-Match. */
export type UndoStep = Omit<ChatUndo, 'next'>
export type ChangePreview = Static<typeof changePreview>
export type ChatConfirmation = Static<typeof chatConfirmation>
