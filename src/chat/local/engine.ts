import type { Context } from '../../db/database'
import { fromDay, weekdayOf } from '../../lib/civil/day'
import { civilOf, clockTime } from '../../lib/civil/zone'
import { toAnswerText } from '../answer-text'
import type { Engine, EngineEnding, EngineRun } from '../engine'
import { act, addNote, draftCards, sayUndone } from './act'
import { type AnswerDeps, answerFromText, answerMentioned, answerQuestion, SUMMARY_SENTENCES } from './answer'
import type { Command, Commands } from './commands'
import { makeCommand, readCommands, readListPlace, readNamed, stripCourtesy } from './commands'
import { answerList } from './listing'
import { listTurns } from './question'
import { term, write } from './replies'
import { render } from './sentences'
import { summarize } from './summary'
import {
  asksLately,
  findLately,
  findMentioned,
  isDecision,
  isKeeping,
  listAskedCodes,
  readChoice,
  readNewTime,
  readSave,
  readTalk,
} from './talk'
import { type ActDeps, type Acting, findTargets, listMember, quote, sayFault, textMember, writeMark } from './targets'
import { tellSpoken } from './words'

export interface LocalEngineDeps extends AnswerDeps, ActDeps, Pick<Context, 'now'> {}

const ENDING: EngineEnding = { reason: 'stop', steps: 1, tokens: null }

/**
 * Creates the embedded engine: rules and quotations, without a model or the network. It does what commands ask for
 * through the tools of the run, and treats everything else as a question to the workspace.
 */
export function createLocalEngine(deps: LocalEngineDeps): Engine {
  return {
    name: 'local',
    model: 'satchel-local',
    async answer(run) {
      const { message, messages, languages } = run.ask
      const talk = readTalk(listTurns(messages))
      const acting: Acting = { run, talk, language: tellSpoken(message, languages[0] ?? 'en') }
      if (!(await reply(deps, acting))) await runMessage(deps, acting)
      return ENDING
    },
  }
}

/** Answers a message that only the answers before it explain; returns false for any other. */
async function reply(deps: LocalEngineDeps, acting: Acting): Promise<boolean> {
  const { run, talk, language } = acting
  const message = run.ask.message.trim()
  if (message.length > 300 || /[\r\n]/.test(message)) return false
  if (isDecision(message)) {
    const waiting = await run.listWaiting(listAskedCodes(talk.answers))
    const isAgreed = /^(?:ok|okay|o\.k\.|klar|gern|d.accord)\W*$/i.test(message)
    const key = isKeeping(message) ? 'kept' : isAgreed ? 'welcome' : 'nothingWaits'
    run.say(waiting.length > 0 ? writeWaiting(acting, waiting) : write(language, key))
    return true
  }
  if (asksLately(message)) {
    const lines = findLately(talk)
    // Quoted, it names nothing for the messages that follow.
    if (lines.length > 0) run.say([write(language, 'lately'), ...lines.map((line) => `> ${line}`)].join('\n'))
    return lines.length > 0 || answerList(deps, acting, 'what changed today')
  }
  if (talk.answer === '') return false
  const title = readSave(message)
  if (title !== null) {
    if (mayWrite(acting))
      await addNote(acting, {
        title: title || (talk.asked.trim().split('\n')[0] ?? ''),
        body: talk.answer,
        isNote: false,
      })
    return true
  }
  const choice = readChoice(message, talk)
  if (choice) return runOne(deps, acting, choice)
  return (await replyTime(deps, acting, message)) || replyPlace(deps, acting, message)
}

/** Moves what was mentioned last to the time that a message is: "make it friday". */
async function replyTime(deps: LocalEngineDeps, acting: Acting, message: string): Promise<boolean> {
  const words = readNewTime(message)
  const [task, ...others] = acting.talk.items[0]
    ? findMentioned({ ...acting.talk, items: acting.talk.items.slice(0, 1) }, { words: 'it', type: 'task' }, ['task'])
    : []
  if (words === null || !task || others.length > 0 || !deps.readWhen(words, acting.run.ask)) return false
  const move = makeCommand('move', acting.language, { w: words })
  return move !== null && runOne(deps, acting, { ...move, named: { ...NAMED, words: task.title, type: 'task' } })
}

const NAMED = { quoted: true, points: false } as const

/** Answers "the second one" alone, behind a list: a note is summarized, and of a task it is asked what to do. */
async function replyPlace(deps: LocalEngineDeps, acting: Acting, message: string): Promise<boolean> {
  const place = readListPlace(message)
  const chosen = place === null ? undefined : acting.talk.items[0]?.listed.at(place)
  if (!chosen) return false
  if (chosen.type === 'note') return summarizeNote(deps, acting, chosen.title)
  acting.run.say(write(acting.language, 'chosen', chosen.title))
  return true
}

const writeWaiting = ({ language }: Acting, codes: readonly string[]): string =>
  write(language, 'waiting', codes.map((code) => `confirm ${code}, or cancel ${code}`).join('; '))

/** Whether changes are allowed; says so if not. */
function mayWrite({ run, language }: Acting): boolean {
  if (run.ask.mode !== 'read') return true
  run.say(write(language, 'readOnly'))
  return false
}

/** Whether a command changes nothing. */
const reads = ({ kind, deck }: Command): boolean => kind === 'quiz' || (kind === 'draft' && deck === '')

async function runOne(deps: LocalEngineDeps, acting: Acting, command: Command): Promise<boolean> {
  if (!reads(command) && !mayWrite(acting)) return true
  return act(deps, { ...acting, language: command.language }, command)
}

/** Does the commands of a message, or answers its question. */
async function runMessage(deps: LocalEngineDeps, acting: Acting): Promise<void> {
  const { run, language } = acting
  const { message, languages } = run.ask
  const read = readCommands(message, languages)
  if (read.takenBack) return run.say(write(language, 'takenBack'))
  if (read.commands.length > 0 && (await runCommands(deps, acting, read))) return
  if (await answerText(acting, message)) return
  if (await talkBack(deps, acting, message.trim())) return
  if (await answerMentioned(deps, acting)) return
  if (!(await answerList(deps, acting, message))) await answerQuestion(deps, acting)
}

/** Runs commands in order, a line or more for each, and says what was left out. Returns false if none is one after all. */
async function runCommands(
  deps: LocalEngineDeps,
  acting: Acting,
  { commands, unread, repeats }: Commands,
): Promise<boolean> {
  const { run, talk, language } = acting
  const [first] = commands
  if (first?.kind === 'undo') {
    if (!mayWrite(acting)) return true
    const outcome = talk.answers.length > 0 ? await run.undo(talk.answers) : null
    if (outcome) {
      sayUndone(acting, outcome)
      return true
    }
    const waiting = await run.listWaiting(listAskedCodes(talk.answers))
    run.say(waiting.length > 0 ? writeWaiting(acting, waiting) : write(language, 'noUndo'))
    return true
  }
  const allowed = run.ask.mode === 'read' ? commands.filter(reads) : commands
  // In a chat that only reads, what names its thing loosely is rather a question.
  if (allowed.length === 0 && commands.length === 1 && first?.isLoose) return false
  for (const [i, command] of allowed.entries()) {
    if (i > 0) run.say('\n')
    const isDone = await act(deps, { ...acting, language: command.language }, command)
    if (!isDone && commands.length === 1) return false
    if (!isDone) run.say(write(language, 'noneFits', command.named?.words ?? '', term(language, 'task')))
  }
  const quoted = unread.slice(0, 3).map((part) => `"${part.slice(0, 80)}"`)
  const left = [
    ...(allowed.length < commands.length ? [write(language, 'readOnly')] : []),
    ...(repeats > 0 ? [write(language, 'repeated')] : []),
    ...(unread.length > 0 ? [write(language, 'unread', quoted.join(', '))] : []),
  ]
  if (left.length > 0) run.say(`${allowed.length > 0 ? '\n' : ''}${left.join('\n')}`)
  if (unread.length > 0) run.warn('read_in_part')
  return true
}

/** Talk: the first that fits. */
const TALK = {
  hello:
    /^(?:(?:hi|hello|hey|hiya|howdy|good (?:morning|afternoon|evening|day)|hallo|guten (?:tag|morgen|abend)|bonjour|bonsoir|salut|hola|buen[oa]s (?:días|tardes|noches))(?: (?:there|satchel))?[\s,!.]*)+$/iu,
  welcome:
    /^(?:(?:thanks?|thank you|thx|cheers|great|perfect|nice|cool|good ?bye|bye|good night|got it|well done|danke|vielen dank|merci|au revoir|gracias|adiós)(?:[ ,]+(?:you|so much|very much|a lot|satchel|sehr|beaucoup|muchas|that's all|(?:das|c'est|eso) .*))?[\s,!.]*)+$/iu,
  help: /^(?:help|help me|commands?|usage|menu|hilfe|aide|ayuda|(?:what|which) (?:else )?(?:can|could|do) (?:you|i|this) (?:do|ask|say)(?: (?:for|with) (?:me|you|this))?|who are you|what are you|are you (?:a |an |really )*(?:bot|robot|human|person|ai|llm|language model|model|computer|real)|what(?:'s| is) your name|was kannst du(?: alles)?|wer bist du|que (?:peux|sais)-tu faire|qui es-tu|qu[eé] (?:puedes|sabes) hacer|qui[eé]n eres)$/iu,
  unable:
    /^(?:(?:translate|rewrite|rephrase|paraphrase|proofread|brainstorm|calculate|compute|solve|imagine|pretend|act as|übersetze|berechne|traduis|calcule|traduce|calcula)(?![\p{L}])|how (?:do|would|can) (?:you|i|we) say|(?:write|compose|draft|generate|make up|tell|sing)(?: me| us)?(?: an?| the| some)? (?:short |funny |long )?(?:poem|essay|story|e-?mail|letter|song|joke|haiku|limerick|sonnet|speech|blog post|article|code|script|function|tweet|paragraph|report)s?(?![\p{L}])|what(?:'s| is) \d+ ?[-+*/x×] ?\d+)/iu,
  clock:
    /^(?:(?:what|tell me the) )?(?:(?:time|day|date|weekday)(?: is it| is today)?|what(?:'s| is) (?:the (?:current )?(?:time|date)|today(?:'s date)?|the day))(?: (?:is it|today|now))*$/iu,
  whatTask:
    /^(?:(?:remind me|(?:(?:can|could) i )?set (?:a |an )?reminder|create a reminder|add a (?:task|reminder)|new task)(?: (?:of|about) (?:something|it))?(?: (?:for|at) .{1,20}| later)?|erinnere mich|rappelle-moi|recuérdame)$/iu,
  reveal:
    /^(?:(?:show|tell me|reveal|what(?:'s| is)) (?:me )?the answer|answer|solution|zeig(?:e)?(?: mir)? die (?:antwort|lösung)|montre(?:-moi)? la réponse|muestra la respuesta|i (?:don't|do not) know|keine ahnung|je ne sais pas|no (?:lo )?sé)$/iu,
  summary:
    /^(?:(?:summari[sz]e|sum up|recap|outline|tl;?dr(?: of)?|give me an? (?:short |brief |quick )?(?:summary|overview|recap) of|an? (?:short )?summary of|fass(?:e)?|résume[ -]|fais(?:-moi)? un résumé (?:de|d')|resume|dame un resumen de)) ?(?<n>.+?)(?: zusammen)?$/isu,
  find: /^(?:find|search|look for|look up|show(?: me)?|which|do i have|are there|open|list|suche?|finde|zeige?(?: mir)?|cherche|trouve|montre(?:-moi)?|busca|muestra)(?: (?:through|in|all|any|the|my|me|des|les|mes|las|mis|alle|meine))* (?:notes?|notizen|notas)(?: (?:that|which|do i have))* (?:about|on|for|with|mention(?:ing)?|containing|contain|matching|regarding|über|zu|mit|sur|avec|sobre|con) (?<n>.+)$/iu,
} as const
const TALKS = Object.entries(TALK) as [keyof typeof TALK, RegExp][]

async function talkBack(deps: LocalEngineDeps, acting: Acting, message: string): Promise<boolean> {
  const { run, language, talk } = acting
  const plain = message.replace(/[’‘]/g, "'")
  const { text } = stripCourtesy(message)
  for (const [kind, pattern] of TALKS) {
    // Greetings and thanks are courtesy themselves.
    const said = kind === 'hello' || kind === 'welcome' ? plain : text
    const groups = text.length <= 400 || kind === 'summary' ? pattern.exec(said) : null
    if (!groups) continue
    const name = groups.groups?.n ?? ''
    if (kind === 'help' || kind === 'unable') run.say(`${write(language, kind)} ${write(language, 'can')}`)
    else if (kind === 'clock' && talk.answer !== '' && /^what (?:time|day|date)$/i.test(text)) return false
    else if (kind === 'clock') run.say(write(language, 'clock', tellTime(run, deps.now())))
    else if (kind === 'summary') return summarizeNote(deps, acting, name)
    else if (kind === 'find') await findNotes(acting, name)
    else if (kind === 'reveal') return revealCard(deps, acting)
    else if (kind === 'hello') await greet(deps, acting)
    else run.say(write(language, kind))
    return true
  }
  // A message behind "What shall I remind you of?" is what to be reminded of.
  const asked = talk.answer === write(language, 'whatTask') && !/\?$/.test(plain) && plain.length <= 200
  const remind = asked ? makeCommand('remind', language, { t: plain }) : null
  return remind !== null && runOne(deps, acting, remind)
}

/** Greets, and says how to begin where there is nothing yet. */
async function greet({ findTexts }: LocalEngineDeps, { run, language }: Acting): Promise<void> {
  const { documents } = await findTexts(run.session, [{ text: 'hello', weight: 1 }], { types: ['note'], limit: 1 })
  run.say(write(language, documents === 0 ? 'empty' : 'hello'))
}

const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']
function tellTime({ ask: { timeZone } }: EngineRun, now: number): string {
  const { day, minutes } = civilOf(now, timeZone)
  return `${WEEKDAYS[weekdayOf(day)]}, ${fromDay(day)}, ${clockTime(minutes)} (${timeZone})`
}

/** Shows the other side of the card that was asked. */
async function revealCard(deps: LocalEngineDeps, acting: Acting): Promise<boolean> {
  const front = /^(?:Question|Frage|Pregunta) ?: "(.+)" \[\d+\]/.exec(acting.talk.answer)?.[1]
  if (front === undefined) return false
  const turns = [{ text: front, answer: '' }]
  await answerQuestion(deps, { ...acting, talk: { ...acting.talk, turns, items: [] } })
  return true
}

/** Lists the notes with some words, each with the passage that was found. */
async function findNotes(acting: Acting, words: string): Promise<void> {
  const { run, language } = acting
  const outcome = await run.call('search', { query: words.slice(0, 300).toWellFormed(), types: ['note'], limit: 10 })
  if (sayFault(acting, outcome)) return
  const items = listMember(outcome.result, 'items')
  if (items.length === 0) return run.say(write(language, 'noNotes', words))
  const lines = items.map((item, i) => {
    const preview = toAnswerText(render(textMember(item, 'preview')))
    const source = outcome.sources.find(({ id }) => id === textMember(item, 'id'))
    const title = quote(textMember(item, 'title'))
    return `${i + 1}. ${title}${preview === '' ? '' : `: ${preview}`}${writeMark(run, source)}`
  })
  run.say(`${write(language, 'notesWith', words)}\n${lines.join('\n')}`)
}

/** Quotes the best sentences of the note that a name means, else of the first note that its words find. */
async function summarizeNote(deps: LocalEngineDeps, acting: Acting, name: string): Promise<boolean> {
  const { run, language, talk } = acting
  const given = readNamed(name)
  if (
    !given.points &&
    (/[\n]/.test(name) || /^(?:this|the following|text|diesen text|folgenden text|ce texte|este texto)\b/i.test(name))
  )
    return false
  const mentioned = given.points ? findMentioned(talk, given, ['note'])[0] : null
  if (given.points && !mentioned) {
    run.say(write(language, 'unclear', name))
    return true
  }
  const named = mentioned ? { ...given, words: mentioned.title, quoted: true } : given
  const { targets, near } = await findTargets(deps, acting, named, ['note'], null)
  const note = targets[0] ?? (named.quoted ? undefined : near[0])
  if (!note) {
    run.say(write(language, 'noneFits', named.words, term(language, 'note')))
    return true
  }
  const outcome = await run.call('summarize', { id: note.id, sentences: SUMMARY_SENTENCES })
  if (sayFault(acting, outcome)) return true
  const title = textMember(outcome.result, 'title')
  const lines = outcome.sources.map(
    (source) => `- "${toAnswerText(render(source.text.slice(source.start, source.end)))}" [${run.cite(source)}]`,
  )
  run.say(
    lines.length > 0 ? [write(language, 'summary', title), ...lines].join('\n') : write(language, 'noSummary', title),
  )
  return true
}

/** UTF-16 units from which what follows an order, or is around a question, is a text of its own. */
const LEAST_TEXT_UNITS = 60
const OF_TEXT =
  /^(?:please )?(?:(?<sum>summari[sz]e|sum up|recap|tl;?dr|fass(?:e)?|résume|resume)|(?<cards>(?:make|create|draft) (?:flash ?)?cards (?:from|of|out of)|(?:mach|erstelle?) (?:kartei|lern)?karten aus|(?:fais|crée) des cartes (?:à partir )?de|(?:haz|crea) tarjetas de)) ?(?:(?<this>this|the following|diesen|folgenden|ce|este)(?: text| mail| article| texte| texto)?|(?:das|dies)(?: hier)?(?: zusammen)?|ça|esto)?\s*(?::|\n)\s*(?<t>.+)$/isu

/** Answers about the text that a message brings along: a summary, cards, or its question; returns false if it brings none. */
async function answerText(acting: Acting, message: string): Promise<boolean> {
  const { run, language } = acting
  const { sum, cards, t = '', this: saysText } = OF_TEXT.exec(message.trim())?.groups ?? {}
  if (cards !== undefined && t.length >= LEAST_TEXT_UNITS) {
    await draftCards(acting, { text: t }, language === 'en' ? 'your text' : '…', '')
    return true
  }
  // "tl;dr: Garden" names a note.
  if (sum !== undefined && (t.length >= LEAST_TEXT_UNITS || /\n/.test(t) || saysText)) {
    const lines = summarize(t, 3).map(({ start, end }) => `- "${toAnswerText(render(t.slice(start, end)))}"`)
    run.rate({ confidence: 1, answers: true })
    run.say([write(language, 'summary', language === 'en' ? 'your text' : '…'), ...lines].join('\n'))
    return true
  }
  const parts = message.trim().split(/\n\s*\n|\n(?=[^\n]*\?\s*$)/)
  if (parts.length < 2) return false
  const asked = [parts[0] ?? '', parts.at(-1) ?? ''].find((part) => /[?？]\s*$/.test(part) && part.length <= 200)
  const text = parts.filter((part) => part !== asked).join('\n\n')
  return asked !== undefined && text.length >= LEAST_TEXT_UNITS * 2 && answerFromText(acting, text, asked)
}
