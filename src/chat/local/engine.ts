import type { Context } from '../../db/database'
import type { Engine, EngineEnding, EngineRun } from '../engine'
import { answerQuestion, type QuestionDeps } from './answer'
import { addCard, addCards, draftCards, storeCards } from './cards'
import { readMentioned } from './conversation'
import { isUnknownOrder } from './grammar/grammar'
import { isWrite, type ReadIntent, type WriteIntent } from './grammar/intent'
import { NO_INTENTS, readSeveral, type SeveralIntents } from './grammar/several'
import { type ReadPeriod, showChanges, showNotes, showTrash, tellTime } from './lists'
import { appendNote, changeNote, createNote, findNotes, summarizeNote } from './notes'
import { sayOutcome } from './outcome'
import { listAskedCodes, listDecided, type Reply, readReply } from './reply'
import { changeSupposed } from './suppose'
import {
  addTask,
  changeTask,
  moveTask,
  type ReadWhen,
  refuseAll,
  restoreItem,
  showAgenda,
  showAskedTasks,
  showDueCards,
  showTasks,
  tagItem,
  trashItem,
} from './tasks'
import {
  EMPTY_WORKSPACE,
  GREETING,
  HELP,
  NOT_ABLE,
  NOTHING_TO_UNDO,
  READ_ONLY,
  REPEATED,
  TAKEN_BACK,
  UNKNOWN_ORDER,
  WELCOME,
  WHAT_TASK,
  writeSupposed,
  writeUnread,
  writeWaiting,
} from './wording'

export interface LocalEngineDeps extends QuestionDeps, Pick<Context, 'now'> {
  readonly readWhen: ReadWhen
  readonly readPeriod: ReadPeriod
}

const ENDING: EngineEnding = { reason: 'stop', steps: 1, tokens: null }

/**
 * Creates the embedded engine: rules and quotations, without a model or the network. It does what the grammar
 * recognizes through the tools of the run, and treats everything else as a question to the notes.
 */
export function createLocalEngine(deps: LocalEngineDeps): Engine {
  return {
    name: 'local',
    model: 'satchel-local',
    async answer(run) {
      const mentioned = readMentioned(run.ask.messages)
      const { message } = run.ask
      const waiting = await run.listWaiting(listAskedCodes(listDecided(message, mentioned)))
      const reply = readReply(message, mentioned, waiting)
      if (reply) await runReply(deps, run, reply, mentioned.answers)
      else await runMessage(deps, run)
      return ENDING
    },
  }
}

/** Does what a message asks for that only the answers before it explain. */
async function runReply(deps: LocalEngineDeps, run: EngineRun, reply: Reply, answers: readonly string[]) {
  if (reply.kind === 'intents') return runIntents(deps, run, { ...NO_INTENTS, intents: reply.intents })
  if (reply.kind === 'say') return run.say(reply.text)
  if (run.ask.mode === 'read') return run.say(READ_ONLY)
  const outcome = await run.undo(answers)
  if (outcome) return sayOutcome(run, outcome)
  const waiting = await run.listWaiting(listAskedCodes(answers))
  run.say(waiting.length > 0 ? writeWaiting(waiting) : NOTHING_TO_UNDO)
}

/** Does the actions of a message, or answers its question. */
async function runMessage(deps: LocalEngineDeps, run: EngineRun): Promise<void> {
  const { message } = run.ask
  const read = readSeveral(message)
  if (read.takenBack) run.say(TAKEN_BACK)
  else if (read.intents.length > 0) await runIntents(deps, run, read)
  else if (isUnknownOrder(message)) run.say(UNKNOWN_ORDER)
  else await answerQuestion(deps, run)
}

/** Runs the actions of a message in order, a line or more for each, and says what was left out. */
async function runIntents(deps: LocalEngineDeps, run: EngineRun, { intents, unread, repeats }: SeveralIntents) {
  const allowed = run.ask.mode === 'read' ? intents.filter((intent) => !isWrite(intent)) : intents
  for (const [i, intent] of allowed.entries()) {
    if (i > 0) run.say('\n')
    await (isWrite(intent) ? runChange(deps, run, intent) : runReading(deps, run, intent))
  }
  const left = [
    ...(allowed.length < intents.length ? [READ_ONLY] : []),
    ...(repeats > 0 ? [REPEATED] : []),
    ...(unread.length > 0 ? [writeUnread(unread)] : []),
  ]
  if (left.length > 0) run.say(`${allowed.length > 0 ? '\n' : ''}${left.join('\n')}`)
  if (unread.length > 0) run.warn('read_in_part')
}

/** Reads and shows what is there, or talks. */
async function runReading(deps: LocalEngineDeps, run: EngineRun, intent: ReadIntent): Promise<void> {
  // What looked like a date is none, so it was a question to the notes.
  const orQuestion = (done: boolean) => (done ? undefined : answerQuestion(deps, run))
  switch (intent.kind) {
    case 'help':
      return run.say(HELP)
    case 'greeting':
      return greet(deps, run)
    case 'thanks':
      return run.say(WELCOME)
    case 'compose':
      return run.say(NOT_ABLE)
    case 'agenda':
      return showAgenda(run)
    case 'list_tasks':
      if (!intent.slots) return showTasks(run, intent)
      return orQuestion(await showAskedTasks(run, intent.slots, deps.readPeriod))
    case 'list_notes':
      return orQuestion(await showNotes(run, intent, deps))
    case 'list_changes':
      return orQuestion(await showChanges(run, intent, deps.readPeriod))
    case 'list_trash':
      return showTrash(run)
    case 'clock':
      return tellTime(run, deps.now())
    case 'due_cards':
      return showDueCards(run, intent.deck)
    case 'find_notes':
      return findNotes(run, intent)
    case 'summarize':
      return summarizeNote(run, intent)
    case 'draft_cards':
      return draftCards(run, intent)
    case 'ask_task':
      return run.say(WHAT_TASK)
    case 'did_you_mean':
      return run.say(writeSupposed(intent.command))
    case 'suppose':
      if (await changeSupposed(run, intent, deps.readWhen)) return
      return isUnknownOrder(run.ask.message) ? run.say(UNKNOWN_ORDER) : answerQuestion(deps, run)
  }
}

/** Changes something, or asks whether to. */
async function runChange({ readWhen }: LocalEngineDeps, run: EngineRun, intent: WriteIntent): Promise<void> {
  switch (intent.kind) {
    case 'add_task':
      return addTask(run, intent)
    case 'complete_task':
      return changeTask(run, intent.task, { done: true })
    case 'reopen_task':
      return changeTask(run, intent.task, { done: false })
    case 'rename_task':
      return changeTask(run, intent.task, { title: intent.title })
    case 'rank_task':
      return changeTask(run, intent.task, { priority: intent.priority })
    case 'move_task':
      return moveTask(run, intent, readWhen)
    case 'file_task':
      return changeTask(run, intent.task, { project: intent.project })
    case 'clear_date':
      return changeTask(run, intent.task, { due: null })
    case 'tag_item':
      return tagItem(run, intent)
    case 'restore':
      return restoreItem(run, intent)
    case 'rename_note':
      return changeNote(run, intent.note, { title: intent.title })
    case 'move_note':
      return changeNote(run, intent.note, { folder: intent.folder })
    case 'edit_note':
      return changeNote(run, intent.note, { replace: intent.text, ...(intent.find !== null && { find: intent.find }) })
    case 'add_cards':
      return addCards(run, intent)
    case 'clear_tasks':
      return refuseAll(run)
    case 'trash':
      return trashItem(run, intent)
    case 'create_note':
      return createNote(run, intent)
    case 'append_note':
      return appendNote(run, intent)
    case 'store_cards':
      return storeCards(run, intent)
    case 'add_card':
      return addCard(run, intent)
  }
}

/** Greets the caller, and explains how to begin if there are no notes yet. */
async function greet({ countNotes }: LocalEngineDeps, run: EngineRun): Promise<void> {
  run.say((await countNotes(run.session)) === 0 ? `Hello. ${EMPTY_WORKSPACE}` : GREETING)
}
