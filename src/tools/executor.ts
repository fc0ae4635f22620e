import type { Context, Queries } from '../db/database'
import { ApiError } from '../http/api-error'
import { createArgumentCheck } from './catalogue'
import {
  createConfirmation,
  findConfirmation,
  hasConfirmation,
  listConfirmations,
  MAX_WAITING,
  spendConfirmation,
  unknownConfirmation,
} from './confirmations'
import { clip, fitResult } from './fit'
import { forgive } from './forgive'
import type { ChatAction, ChatConfirmation } from './schema'
import {
  type ChangePlan,
  type ChangeTool,
  type CreateTool,
  joinUndo,
  type ReadTool,
  type Tool,
  type ToolContext,
  type ToolDeps,
  type ToolOutcome,
  type WriteOutcome,
} from './tool'
import { undoTool } from './undo'
import { findUndo } from './undos'

export interface ExecutorDeps extends Pick<ToolDeps, 'services'>, Pick<Context, 'random'> {
  /** The tools that callers may call. */
  readonly catalogue: readonly Tool[]
  /** All tools there are: a change of any of them can be confirmed, wherever it was requested. */
  readonly everyTool: readonly Tool[]
}

export type Executor = ReturnType<typeof createExecutor>

/** A call with its arguments as its tool takes them, see `forgive`. */
export type MendedCall = Readonly<{ name: string; args: unknown }>

/** Does the rest of a call in a session, which may be a transaction. */
type FinishCall = (session: ToolContext['session']) => Promise<ToolOutcome>

/** Code points of an unknown tool's name in an error. */
const MAX_NAME_CHARS = 40

/** Runs tools within the mode and the scope of each call, and asks for confirmations. */
export function createExecutor({ random, services, catalogue, everyTool }: ExecutorDeps) {
  const tools = new Map(catalogue.map((tool) => [tool.name, tool]))
  const undoing = undoTool(services)
  const checkArguments = createArgumentCheck(catalogue)

  /** Does a change, or stores it to be confirmed, in one transaction. */
  async function runChange(tool: ChangeTool, args: never, context: ToolContext): Promise<ToolOutcome> {
    const outcome = await inTransaction(context, async (inside) => {
      const plan = await tool.plan(args, inside)
      if (plan.confirm || context.asksFirst || (context.hasReadText && tool.risk === 'update'))
        return toPending(
          tool,
          inside,
          plan,
          await createConfirmation(random, inside, { ...plan, tool: tool.name, args }),
        )
      return recordDone(tool, inside, await tool.run(args, inside, [plan.target.revision]))
    })
    return follow(tool, args, context, outcome)
  }

  /**
   * Spends a confirmation and does its change, in one transaction. If it throws an ApiError, the confirmation is not
   * spent.
   */
  async function runConfirmed(
    given: ChangeTool,
    row: Awaited<ReturnType<typeof findConfirmation>>,
    toolContext: ToolContext,
  ) {
    const context = { ...toolContext, timeZone: row.timezone }
    const args = JSON.parse(row.arguments) as never
    const tool = (await unlessRefused(async () => given.prepare?.(args, context))) ?? given
    const outcome = await inTransaction(context, async (inside) => {
      const { db, workspace } = inside.session
      if (!(await spendConfirmation({ db, workspace }, row.key, context.now))) throw unknownConfirmation()
      const plan = await unlessRefused(() => tool.plan(args, inside))
      // Compare the summary too: it counts subtasks, which have their own revisions.
      if (plan?.target.revision !== row.revision || plan.summary !== row.summary)
        throw new ApiError(
          'precondition_failed',
          'It has changed since you requested this. Nothing was done: request it again.',
        )
      return recordDone(tool, inside, await tool.run(args, inside, [row.revision]))
    })
    return follow(tool, args, context, outcome)
  }

  function findChangeTool(name: string): ChangeTool {
    const tool = name === undoing.name ? undoing : everyTool.find((one) => one.name === name)
    if (!tool || !('plan' in tool)) throw new Error(`a confirmation of ${name}`)
    return tool
  }

  async function tryConfirmed(
    row: Awaited<ReturnType<typeof findConfirmation>>,
    context: ToolContext,
  ): Promise<ToolOutcome> {
    const tool = findChangeTool(row.tool)
    if (context.mode === 'read') return toDenied(tool, context)
    try {
      return await runConfirmed(tool, row, context)
    } catch (error) {
      const refusal = requireApiError(error)
      // A refused action cannot be confirmed again with the same token: the caller has to request it again.
      await spendConfirmation(context.session, row.key, context.now)
      return toFailed(tool, context, refusal, row.summary)
    }
  }

  function mend(name: string, sent: unknown): MendedCall {
    const tool = tools.get(name)
    return { name, args: tool ? forgive(tool.input, sent ?? {}) : sent }
  }

  async function prepareCall(context: ToolContext, { name, args }: MendedCall): Promise<FinishCall> {
    context.signal.throwIfAborted()
    const tool = tools.get(name)
    if (!tool) return async () => toFault(unknownTool(name, [...tools.keys()]))
    if (tool.risk !== 'read' && context.mode === 'read') return async () => toDenied(tool, context)
    const fault = checkArguments(tool, args)
    if (fault) return async () => toFault(fault)
    const refuse = (error: unknown) => {
      const refusal = requireApiError(error)
      return tool.risk === 'read' ? toFault(refusal) : toFailed(tool, context, refusal, `${tool.title}: failed`)
    }
    try {
      // The arguments were checked above, so `never` is safe.
      const ready = ('prepare' in tool && (await tool.prepare?.(args as never, context))) || tool
      return async (session) => {
        try {
          return await run(ready, args as never, { ...context, session })
        } catch (error) {
          return refuse(error)
        }
      }
    } catch (error) {
      const outcome = refuse(error)
      return async () => outcome
    }
  }

  function run(tool: Tool, args: never, context: ToolContext): Promise<ToolOutcome> {
    if (isRead(tool)) return runRead(tool, args, context)
    return isChange(tool) ? runChange(tool, args, context) : runCreate(tool as CreateTool, args, context)
  }

  return {
    catalogue,
    mend,

    /**
     * Runs a tool with arguments from a model. Faults of the call, and errors of services (ApiError), are returned as
     * `fault`. Throws only when the caller has disconnected, or for bugs.
     */
    call: async (context: ToolContext, name: string, args: unknown): Promise<ToolOutcome> =>
      (await prepareCall(context, mend(name, args)))(context.session),

    /**
     * Does what takes long of a call; returns what does the rest in a session, for callers with a transaction of their
     * own, which others wait for. Both are like `call`.
     */
    prepare: prepareCall,

    /**
     * Does the actions of these tokens, or this code, in order, each in its own transaction. Tokens and codes must come
     * from the caller, never from a stored text or a model.
     * @throws ApiError confirmation_unknown if any of them is unknown; then nothing is done
     */
    async confirm(
      context: ToolContext,
      by: { readonly tokens: readonly string[]; readonly code: string | null },
    ): Promise<ToolOutcome[]> {
      const { session, now } = context
      const searches = [...new Set(by.tokens)].map((token) => findConfirmation(session, { token }, now))
      if (by.code !== null) searches.push(findConfirmation(session, { code: by.code }, now))
      const rows = new Map((await Promise.all(searches)).map((row) => [row.key, row]))
      const outcomes: ToolOutcome[] = []
      for (const row of rows.values()) {
        context.signal.throwIfAborted()
        const outcome = await tryConfirmed(row, context)
        // Another request confirmed it at the same time: report it as one that came before.
        if (outcome.fault?.code === 'confirmation_unknown' && rows.size === 1) throw unknownConfirmation()
        outcomes.push(outcome)
      }
      return outcomes
    },

    /**
     * Undoes what the last answer did, or stores that to be confirmed; if it changed nothing, asks whether to undo what the
     * latest of the others did. Null if none is known here to have changed anything. Errors of services (ApiError) are
     * returned as `fault`. `answers` begin with the last one.
     */
    async undo(context: ToolContext, answers: readonly string[]): Promise<ToolOutcome | null> {
      context.signal.throwIfAborted()
      if (context.mode === 'read') return toDenied(undoing, context)
      const find = (some: readonly string[]) => findUndo(context.session, some, context.now)
      const last = await find(answers.slice(0, 1))
      const steps = last ?? (await find(answers.slice(1)))
      if (!steps) return null
      try {
        return await runChange(undoing as never, { steps } as never, { ...context, asksFirst: last === null })
      } catch (error) {
        return toFailed(undoing, context, requireApiError(error), `${undoing.title}: failed`)
      }
    },

    /**
     * Asks again for all actions that wait, with the changes that they would make now, and new tokens and codes: of the
     * old ones only hashes are stored. What can no longer be done is left out.
     */
    async askAgain(context: ToolContext): Promise<ToolOutcome[]> {
      const outcomes: ToolOutcome[] = []
      for (const row of await listConfirmations(context.session, context.now)) {
        if (!(await spendConfirmation(context.session, row.key, context.now))) continue
        const asking = { ...context, timeZone: row.timezone, asksFirst: true }
        const args = JSON.parse(row.arguments) as never
        const outcome = await unlessRefused(() => runChange(findChangeTool(row.tool), args, asking))
        if (outcome) outcomes.push(outcome)
      }
      return outcomes
    },

    /** Returns those of some codes whose actions still wait, each once. Of more than MAX_WAITING the first are read. */
    async listWaiting({ session, now }: ToolContext, codes: readonly string[]): Promise<string[]> {
      const waiting: string[] = []
      for (const code of [...new Set(codes)].slice(0, MAX_WAITING))
        if (await hasConfirmation(session, code, now)) waiting.push(code)
      return waiting
    },

    /** Deletes the pending action of a code. Throws confirmation_unknown. */
    async cancel({ session, now }: ToolContext, code: string): Promise<{ readonly summary: string }> {
      const row = await findConfirmation(session, { code }, now)
      if (!(await spendConfirmation(session, row.key, now))) throw unknownConfirmation()
      return { summary: row.summary }
    },
  }
}

/** Does some work; null if that is refused, since something is gone, hidden or changed meanwhile. */
async function unlessRefused<T>(work: () => Promise<T>): Promise<T | null> {
  try {
    return await work()
  } catch (error) {
    requireApiError(error)
    return null
  }
}

async function runRead(tool: ReadTool, args: never, context: ToolContext): Promise<ToolOutcome> {
  const { result, sources } = await tool.run(args, context)
  return { result: fitResult(result), action: null, fault: null, sources }
}

/** Adds to the result of a change what is read after it, unless that is refused: what was done is done all the same. */
async function follow(tool: ChangeTool, args: never, context: ToolContext, outcome: ToolOutcome): Promise<ToolOutcome> {
  if (outcome.action?.status !== 'done' || !tool.follow) return outcome
  const more = await unlessRefused(async () => tool.follow?.(args, context))
  return { ...outcome, result: fitResult({ ...outcome.result, ...more }) }
}

function runCreate(tool: CreateTool, args: never, context: ToolContext): Promise<ToolOutcome> {
  return inTransaction(context, async (inside) => recordDone(tool, inside, await tool.run(args, inside)))
}

function inTransaction<T>(context: ToolContext, work: (inside: ToolContext) => Promise<T>): Promise<T> {
  const { session } = context
  return session.db.transaction((db: Queries) => work({ ...context, session: { ...session, db } }))
}

/** Creates an action without an outcome. */
const createAction = ({ name, risk }: Tool, { hasReadText }: Pick<ToolContext, 'hasReadText'>) => ({
  ...{ n: 0, tool: name, risk, after_reading: hasReadText },
  ...{ target: null, preview: null, result: null, undo: null, confirm: null, error: null },
})

/** Records the action of a write, in the same transaction, and returns the outcome. */
async function recordDone(tool: Tool, context: ToolContext, outcome: WriteOutcome): Promise<ToolOutcome> {
  const { target, summary } = outcome
  const [result, undo] = [fitResult(outcome.result), joinUndo(outcome.undo)]
  const action: ChatAction = { ...createAction(tool, context), status: 'done', target, summary, result, undo }
  await context.record(context.session, action)
  return { result: fitResult({ status: 'done', ...outcome.result }), action, fault: null, sources: [] }
}

/**
 * Returns the outcome of a pending action. The result for the model has neither token nor code: only the caller
 * confirms.
 */
async function toPending(
  tool: Tool,
  context: ToolContext,
  plan: ChangePlan,
  confirm: ChatConfirmation,
): Promise<ToolOutcome> {
  const { target, summary } = plan
  const preview = await plan.preview()
  return {
    result: fitResult({
      status: 'pending',
      summary: `${summary}. Not done yet: only the user can confirm it, after this answer.`,
    }),
    action: { ...createAction(tool, context), status: 'pending', target, summary, preview, confirm },
    fault: null,
    sources: [],
  }
}

function toFault({ code, detail }: ApiError, action: ChatAction | null = null): ToolOutcome {
  return { result: fitResult({ error: code, detail }), action, fault: { code, detail }, sources: [] }
}

function toFailed(tool: Tool, context: ToolContext, refusal: ApiError, summary: string): ToolOutcome {
  const error = { code: refusal.code, detail: refusal.detail }
  return toFault(refusal, { ...createAction(tool, context), status: 'failed', summary, error })
}

function toDenied(tool: Tool, context: ToolContext): ToolOutcome {
  const refusal = new ApiError('not_found', `Only reading is allowed here (mode read): there is no ${tool.name}.`)
  const outcome = toFailed(tool, context, refusal, `${tool.title}: not possible where only reading is allowed`)
  return { ...outcome, action: outcome.action && { ...outcome.action, status: 'denied' } }
}

function unknownTool(name: string, names: readonly string[]): ApiError {
  return new ApiError('not_found', `There is no tool ${clip(name, MAX_NAME_CHARS)}. The tools are ${names.join(', ')}.`)
}

function requireApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  throw error
}

const isRead = (tool: Tool): tool is ReadTool => tool.risk === 'read'
const isChange = (tool: Tool): tool is ChangeTool => tool.risk === 'update' || tool.risk === 'delete'
