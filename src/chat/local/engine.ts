import type { Engine, EngineEnding, EngineRun } from '../engine'
import { answerQuestion, type QuestionDeps } from './answer'
import { addCard, draftCards, storeCards } from './cards'
import { readMentioned, resolveChoice, resolveIntent } from './conversation'
import { readIntent } from './grammar/grammar'
import { type Intent, isWrite } from './grammar/intent'
import { appendNote, createNote, findNotes, summarizeNote } from './notes'
import { readReply } from './reply'
import {
  addTask,
  changeTask,
  moveTask,
  type ReadWhen,
  refuseAll,
  showAgenda,
  showDueCards,
  showTasks,
  trashItem,
} from './tasks'
import { EMPTY_WORKSPACE, GREETING, HELP, NOT_ABLE, READ_ONLY, WELCOME } from './wording'

export interface LocalEngineDeps extends QuestionDeps {
  readonly readWhen: ReadWhen
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
      const reply = readReply(run.ask.message, mentioned)
      if (reply?.kind === 'say') {
        run.say(reply.text)
        return ENDING
      }
      const read = reply?.intent ?? readIntent(resolveChoice(run.ask.message, mentioned))
      const intent = read && resolveIntent(read, mentioned)
      if (!intent) await answerQuestion(deps, run)
      else if (isWrite(intent) && run.ask.mode === 'read') run.say(READ_ONLY)
      else await runIntent(deps, run, intent)
      return ENDING
    },
  }
}

async function runIntent(deps: LocalEngineDeps, run: EngineRun, intent: Intent): Promise<void> {
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
      return showTasks(run, intent)
    case 'due_cards':
      return showDueCards(run)
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
      return moveTask(run, intent, deps.readWhen)
    case 'clear_tasks':
      return refuseAll(run)
    case 'trash':
      return trashItem(run, intent)
    case 'create_note':
      return createNote(run, intent)
    case 'append_note':
      return appendNote(run, intent)
    case 'find_notes':
      return findNotes(run, intent)
    case 'summarize':
      return summarizeNote(run, intent)
    case 'draft_cards':
      return draftCards(run, intent)
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
