/** Lists of tasks by their state and dates, of notes, cards, changes and the trash. */
import { fold } from '../../search/fold'
import { isNarrow } from '../../tools/tool'
import type { EngineRun } from '../engine'
import { type FieldDeps, listProjects, type ReadPeriod } from './fields'
import { term, write } from './replies'
import { type Acting, countMember, listMember, quote, sayFault, textMember, writeDue, writeMark } from './targets'
import { isCommon } from './words'

/** What a question lists. */
interface Listing {
  readonly of: 'tasks' | 'notes' | 'cards' | 'trash' | 'changes'
  readonly states: readonly string[]
  readonly field: 'due' | 'completed' | 'created' | 'updated' | null
  readonly period: { readonly words: string; readonly relation: string } | null
  readonly project: string
  readonly label: string
  readonly counts: boolean
  readonly latest: number | null
}

/** Words that say what is listed, folded. The first that fit are taken out of the text; what is left has to be a time. */
const OF = Object.entries({
  trash: /\b(?:in (?:the|my) )?(?:trash|recycle bin|bin)\b|\bdeleted\b|\bpapierkorb\b|\bcorbeille\b|\bpapelera\b/,
  cards: /\b(?:flash ?)?cards?\b|\b(?:kartei|lern)?karten?\b|\bcartes?\b|\btarjetas?\b|\bto (?:study|review)\b/,
  notes: /\bnotes\b|\bnote\b(?=s? (?:did|have|do|from|created))|\bnotizen\b|\bnotas\b/,
  changes: /\b(?:what|was|que|qu'est-ce qui)\b.*\b(?:changed?|new|geandert|change|cambiado|cambio)\b/,
  tasks:
    /\btasks?\b|\bto-?dos?(?: list)?\b|\breminders?\b|\bchores?\b|\b(?:my|the) list\b|\baufgaben?(?:liste)?\b|\btaches?\b|\btareas?\b/,
}) as [Listing['of'], RegExp][]
const STATES = Object.entries({
  overdue:
    /\bover ?due\b|\blate\b|\bpast due\b|\bmissed\b|\buberfallig\w*|\bverspatet\w*|\ben retard\b|\batrasad\w*|\bvencid\w*/,
  undated:
    /\bundated\b|\b(?:with(?:out| no)|no|having no|have no|has no|don't have) (?:a |any )?(?:due )?dates?\b|\bohne (?:datum|frist|termin)\b|\bsans (?:date|echeance)\b|\bsin fecha\b/,
  '(p1 or p2)':
    /\b(?:high|top|highest)[ -]priority\b|\burgent\b|\bmit hoher prioritat\b|\bdringend\w*|\bpriorite haute\b|\burgentes?\b|\bimportant\b/,
}) as [string, RegExp][]
const VERBS = Object.entries({
  completed:
    /\b(?:completed?|finish(?:ed)?|did|done|accomplish(?:ed)?|ticked off|checked off|get done|got done)\b|\berledigt\w*|\bgemacht\b|\bgeschafft\b|\b(?:fait|faites|termine\w*|accompli)\b|\b(?:hech[oa]s?|hice|termin\w+|complet\w+)\b/,
  created:
    /\b(?:created?|add(?:ed)?|ma(?:d|k)e|wr(?:ote|itten|ite))\b|\bangelegt\b|\bhinzugefugt\b|\bgeschrieben\b|\b(?:cree\w*|ajoute\w*|ecrit\w*)\b|\b(?:cread\w+|anadi\w+|escri\w+)\b/,
  updated: /\b(?:changed?|edited?|updated?|modified)\b|\bgeandert\b|\bchange\b|\bmodifie\w*|\bcambi\w+\b/,
  due: /\b(?:coming )?due\b|\bplanned\b|\bscheduled\b|\bagenda\b|\bcoming up\b|\bup next\b|\bto do\b|\bbe done\b|\bon (?:my|the) plate\b|\bhappening\b|\bplans?\b|\bfallig\w*|\bgeplant\b|\bsteht an\b|\banstehend\w*|\bvor\b|\bprevu\w*|\ba faire\b|\bpendiente\w*|\bvencen?\b|\bque hacer\b/,
}) as [NonNullable<Listing['field']>, RegExp][]
/** Words that say nothing of what is listed, beside the common ones. */
const FILL =
  /^(?:list|display|see|check|read|view|go|got|left|still|open|pending|current|currently|right|now|all|anything|everything|else|things?|items?|many|much|number|total|far|look|like|looking|latest|newest|last|recent|recently|need|needs|needed|want|ahead|next|zeig|zeige|liste|offen|offene|offenen|alles|steht|stehen|liegt|montre|affiche|reste|tout|toutes|muestra|lista|quedan|queda|todo|todas|review|study|learn|what's|j'ai|ai|ai-je|qu'est|ya|to-do|plate|set|looks|i've|i'm|waiting)$/
const RELATIONS = Object.entries({
  before: /(?:before|vor(?: dem)?|avant(?: le)?|antes (?:de|del)) $/,
  until: /(?:until|till|by|bis(?: zum)?|jusqu'a?u?|hasta(?: el)?) $/,
  after: /(?:after|nach(?: dem)?|apres(?: le)?|despues (?:de|del)) $/,
  since: /(?:since|seit(?: dem)?|depuis(?: le)?|desde(?: el)?) $/,
}) as [string, RegExp][]
const MAX_PERIOD_WORDS = 6
/** Words that do not begin the words of a time. */
const NO_PERIOD =
  /^(?:is|are|due|in|on|for|at|by|before|until|till|after|since|am|im|um|vor|bis|nach|seit|avant|jusqu.*|après|depuis|pour|antes|hasta|después|desde|de|para|completed?|changed?|i|did|what|fällig|vencen?)$/i

/** Words of a message that is read as a question for a list. */
const MAX_LIST_WORDS = 16

/** Reads a question for a list; null for any other. @param projects the names of the projects */
function readListing(deps: FieldDeps, run: EngineRun, message: string, projects: readonly string[]): Listing | null {
  let text = message
    .replace(/[’‘]/g, "'")
    .replace(/[¿¡?!]|[.,;:]+(?=\s|$)/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
  if (text.split(' ').length > MAX_LIST_WORDS) return null
  const take = (pattern: RegExp): string => {
    const found = pattern.exec(text)
    if (!found) return ''
    text = `${text.slice(0, found.index)} ${text.slice(found.index + found[0].length)}`.replace(/\s+/g, ' ').trim()
    return (found.groups?.n ?? found[0]).replace(/^"|"$/g, '')
  }
  const label = take(
    /(?:\b(?:tagged|labell?ed)(?: (?:as|with))?|\b(?:with|mit|avec|con|by) (?:the |dem |l'|la )?(?:tag|label|étiquette|etiqueta)|(?<!\S)[#@](?=\S)) ?"?(?<n>[^\s"]+)"?/iu,
  )
  let project = take(
    /\b(?:in|from|of|for|im|des|vom|dans|du|en|del)(?: (?:the|my|le|el|mein\w*))? (?:project|projekt|projet|proyecto)(?: (?:called|named))? "?(?<n>[\p{L}\d][^"]*?)"?(?= (?:is|are|due|still|open|that)|$)/iu,
  )
  const folder = take(
    /\b(?:in|from|under|im|dans|en)(?: (?:the|my|le|la))? (?:folder|ordner|dossier|carpeta) "?(?<n>[^"]+?)"?$/iu,
  )
  for (const name of project === '' ? projects : [])
    project ||= take(
      new RegExp(
        `(?:\\b(?:in|for|of|on|from|für|im|dans|pour|en|de|para) )?(?:(?:the|my|das|dem|le|el) )?(?<n>${RegExp.escape(name)})(?: (?:project|projekt|projet|proyecto))?(?![\\p{L}'])`,
        'iu',
      ),
    )
  return readConditions({ ...takePeriod(deps, run, text), label, project, folder })
}

/** Reads what is left of a question for a list beside names and a time; null if it says anything else. */
function readConditions({
  period,
  rest: said,
  label,
  project,
  folder,
}: Pick<Listing, 'period' | 'label' | 'project'> & { readonly rest: string; readonly folder: string }): Listing | null {
  let text = fold(said)
  const counts = /^(?:how many|number of|count)|^wie viele|^combien|^cuant/.test(text)
  const latest = /\b(?:latest|newest|most recent|last|letzten|dernieres|ultimas)\b/.test(text)
    ? Number(/\b(\d{1,2})\b/.exec(text)?.[1] ?? 10)
    : null
  if (latest !== null) text = text.replace(/\b\d{1,2}\b/, ' ')
  const of = OF.find(([, pattern]) => pattern.test(text))
  const states = STATES.filter(([, pattern]) => pattern.test(text))
  const verb = /\b(?:to be|be|get) done\b/.test(text)
    ? (['due', /\b(?:to )?(?:be|get) done\b/] as const)
    : VERBS.find(([, pattern]) => pattern.test(text))
  const rest = [
    of?.[1],
    ...states.map(([, pattern]) => pattern),
    ...VERBS.map(([, pattern]) => pattern),
    /\b(?:how many|wie viele|combien|cuant[oa]s)\b/,
    /\ball\b/,
  ].reduce<string>((left, pattern) => (pattern ? left.replace(new RegExp(pattern, 'g'), ' ') : left), text)
  const left = rest.split(/\s+/).filter((word) => word !== '' && !FILL.test(word) && !isCommon(word, null))
  // "How many anatomy cards are due?" names a deck.
  const isDeck = of?.[0] === 'cards' && left.length === 1
  if (left.length > 0 && !isDeck) return null
  if (!of && states.length === 0 && !verb && period === null && project === '') return null
  const listed = of?.[0] ?? 'tasks'
  const field = verb?.[0] ?? (period ? (listed === 'notes' ? 'created' : 'due') : null)
  return {
    of: listed,
    states: states.map(([name]) => name),
    field,
    period,
    project: isDeck ? (left[0] ?? '') : listed === 'notes' ? folder : project,
    label,
    counts,
    latest: listed === 'notes' ? latest : null,
  }
}

/** Takes the longest words that name a time out of a text. */
function takePeriod(deps: FieldDeps, run: EngineRun, text: string): { period: Listing['period']; rest: string } {
  const words = text.split(' ')
  for (let length = Math.min(MAX_PERIOD_WORDS, words.length); length > 0; length--)
    for (let at = 0; at + length <= words.length; at++) {
      const some = words.slice(at, at + length).join(' ')
      if (some.length < 3 || NO_PERIOD.test(words[at] ?? '') || !deps.readPeriod(some, run.ask)) continue
      const before = `${fold(words.slice(0, at).join(' '))} `
      const relation = RELATIONS.find(([, pattern]) => pattern.test(before))
      const left = relation ? before.replace(relation[1], ' ') : `${words.slice(0, at).join(' ')} `
      const rest = `${left}${words.slice(at + length).join(' ')}`.replace(/\s+/g, ' ').trim()
      return { period: { words: some, relation: relation?.[0] ?? 'in' }, rest }
    }
  return { period: null, rest: text }
}

/** What makes a message worth a look as a question for a list. */
const MAY_LIST =
  /task|to-?do\b|reminder|chore|\blist\b|notes|cards?\b|\bdue\b|agenda|plan|coming up|overdue|\blate\b|no date|urgent|priority|completed?|finish|\bdid i\b|\bdone\b|chang|trash|\bbin\b|created|aufgabe|notizen|karten|fällig|erledigt|papierkorb|geändert|steht an|tâche|notes|carte|retard|faire|corbeille|changé|tarea|notas|tarjeta|vence|atrasad|pendiente|papelera|cambia|hoy|heute|today|tomorrow|week|project|projekt|projet|proyecto|cuánt|combien de|wie viele|mañana|demain|morgen|^(?:and|et|und|y) /i

/** Answers a question for a list; returns false if it is none. A short one goes on from the list before. */
export async function answerList(deps: FieldDeps, acting: Acting, message: string): Promise<boolean> {
  const { run, talk } = acting
  if (message.length > 160 || /\n/.test(message) || !MAY_LIST.test(message)) return false
  const projects = (await listProjects(deps, run)).map(({ name }) => name)
  const rest = message
    .trim()
    .replace(/^(?:and|what about|how about|und|et|y|which of (?:those|them)(?: are)?|only)\s+/i, '')
  const own = readListing(deps, run, rest, projects)
  const isShort = rest !== message.trim() || message.split(/\s+/).length <= 3
  const before = isShort && talk.asked !== '' ? readListing(deps, run, talk.asked, projects) : null
  // A list keeps its filter: "and tomorrow?", "in the House project?".
  const kept = before?.states.filter((one) => !own?.period || one !== 'overdue') ?? []
  const listing =
    own && before && own.of === 'tasks'
      ? {
          ...{ ...before, ...dropEmpty(own), of: before.of, states: [...new Set([...kept, ...own.states])] },
          field: own.period ? (own.field ?? before.field) : (before.field ?? own.field),
        }
      : own
  if (!listing || (own === null && before === null)) return false
  const isPlain =
    own?.of === 'tasks' && !own.period && own.states.length === 0 && !own.field && !own.project && !own.label
  if (isPlain && !before && !/task|to-?do|remind|chore|list|aufgabe|tâche|tarea/i.test(message)) return false
  return sayListing(deps, acting, listing)
}

const dropEmpty = (listing: Listing): Partial<Listing> =>
  Object.fromEntries(Object.entries(listing).filter(([, value]) => value !== null && value !== '' && value !== false))

const MAX_SHOWN = 10
/** Items of a list that tools count; a longer list is counted no further. */
const MAX_COUNTED = 2000
/** A condition that all notes have. */
const ANY_NOTE = 'created:>=1900-01-01'

type Days = NonNullable<ReturnType<ReadPeriod>>

/** A list to say, with its days. */
interface Saying {
  readonly acting: Acting
  readonly listing: Listing
  readonly days: Days | null
  /** The time in words, and the words of the field with it; none without a time. */
  readonly when: string
  readonly named: readonly string[]
}

async function sayListing(deps: FieldDeps, acting: Acting, listing: Listing): Promise<boolean> {
  const { run, language } = acting
  const { of, field, period, project, label } = listing
  const days = period && deps.readPeriod(period.words, run.ask)
  if (period && !days) return false
  if (of === 'cards') return sayCards(acting, project || label)
  if (of === 'trash') {
    const outcome = await run.call('search', { query: '', trashed: true, types: ['note', 'task'], limit: MAX_SHOWN })
    sayItems(acting, term(language, 'In the trash'), outcome)
    return true
  }
  const relation = period && period.relation !== 'in' ? `${term(language, period.relation)} ` : ''
  const when = period ? relation + period.words : ''
  const verb =
    field === 'completed' && language !== 'en' ? '' : term(language, field === 'updated' ? 'changed' : (field ?? ''))
  const saying = { acting, listing, days, when, named: field && period ? [`${verb} ${when}`.trim()] : [] }
  if (of !== 'tasks') await sayNotes(saying)
  if (of === 'notes') return true
  if (of === 'changes') run.say('\n')
  await sayTasks(saying)
  return true
}

async function sayNotes({ acting, listing, days, when, named }: Saying): Promise<void> {
  const { run, language } = acting
  const { of, field, period, project, label, counts, latest } = listing
  const say = (word: string) => term(language, word)
  const quoted = (name: string, value: string) => `${name}:"${value.replace(/["\\]/g, ' ')}"`
  const by = of === 'changes' || field === 'updated' ? 'updated' : 'created'
  const conditions = [
    ...(label ? [quoted('tag', label)] : []),
    ...(project ? [quoted('folder', project)] : []),
    ...(days ? [`${by}:${writeDays(days, period?.relation ?? 'in')}`] : []),
  ]
  const filter = conditions.join(' ') || ANY_NOTE
  const latestNotes = language === 'en' ? 'Latest notes' : `${say('Notes')} (${say('latest')})`
  const name = [
    latest ? latestNotes : say('Notes'),
    ...(label ? [`${say('tag')} ${label}`] : []),
    ...(project ? [`${say('folder')} ${project}`] : []),
    ...(of === 'changes' ? [`${say('changed')} ${when}`.trim()] : named),
  ]
  const outcome = await run.call('search', { query: '', filter, limit: Math.min(latest ?? MAX_SHOWN, MAX_SHOWN) })
  const isCount = counts && filter === ANY_NOTE && !isNarrow(run.ask.scope)
  sayItems(acting, name.join(', '), outcome, { isCount, most: latest })
}

/** The names of states, as the filter of tasks has them. */
const STATE_NAMES: Readonly<Record<string, string>> = { overdue: 'overdue', undated: 'no date', '(p1 or p2)': 'urgent' }
/** What is due without a time in words, and tasks of any state. */
const [SOON, ANY_STATE, OPEN] = [
  '(overdue or due < +7d)',
  '(open or in_progress or done or cancelled)',
  '(open or in_progress)',
]

async function sayTasks({ acting, listing, days, when, named }: Saying): Promise<void> {
  const { run, language } = acting
  const { of, states, field, period, project, label } = listing
  const say = (word: string) => term(language, word)
  const isChange = of === 'changes'
  const isDone = field === 'completed' && !isChange
  const isAgenda = !isChange && field === 'due' && !period && states.length === 0 && project === '' && label === ''
  const by = isChange ? 'updated' : field
  const terms = [
    ...[isChange ? ANY_STATE : isDone ? 'done' : OPEN, ...states, ...(isAgenda ? [SOON] : [])],
    ...(project && !isChange ? [`#${writeName(project)}`] : []),
    ...(label && !isChange ? [`@${writeName(label)}`] : []),
    ...(days && by ? [writeDays(days, period?.relation ?? 'in', by)] : []),
  ]
  const heading = [
    ...[say('Tasks'), ...states.map((state) => say(STATE_NAMES[state] ?? state)), ...(isDone ? [say('done')] : [])],
    ...(project && !isChange ? [`${say('project')} ${project}`] : []),
    ...(label && !isChange ? [`${say('label')} ${label}`] : []),
    ...(isChange ? [`${say('changed')} ${when}`.trim()] : isAgenda ? [say('due')] : named),
  ]
  const outcome = await run.call('list_tasks', { filter: terms.join(' and '), limit: MAX_SHOWN })
  sayItems(acting, heading.join(', '), outcome, { isCited: !isChange })
  // "What is on my agenda?" means cards as well.
  if (!isAgenda) return
  run.say('\n')
  await sayCards(acting, '', 0)
}

const WAYS: Readonly<Record<string, readonly [sign: string, end: 'first' | 'last']>> = {
  ...{ before: ['<', 'first'], until: ['<=', 'last'], after: ['>', 'last'], since: ['>=', 'first'] },
}

/** Writes days as a condition: of the search language, or of the filter of tasks. */
function writeDays(days: Days, relation: string, field?: string): string {
  const [sign, end] = WAYS[relation] ?? []
  if (field === undefined) return sign && end ? sign + days[end] : `${days.first}..${days.last}`
  if (sign && end) return `${field} ${sign} ${days[end]}`
  return days.first === days.last
    ? `${field} = ${days.first}`
    : `(${field} >= ${days.first} and ${field} <= ${days.last})`
}

const writeName = (name: string): string => (/^[\p{L}\d_-]+$/u.test(name) ? name : `"${name.replace(/["\\]/g, ' ')}"`)

/** Says the number of items and their titles. */
function sayItems(
  acting: Acting,
  name: string,
  outcome: Awaited<ReturnType<EngineRun['call']>>,
  { isCount = false, most = null as number | null, isCited = false } = {},
) {
  if (sayFault(acting, outcome)) return
  const { run, language } = acting
  const items = listMember(outcome.result, 'items')
  const total = Math.max(items.length, countMember(outcome.result, 'total'))
  const count = total >= MAX_COUNTED ? `${MAX_COUNTED}+` : total
  if (total === 0) return run.say(`${name}: ${term(language, 'none')}.`)
  if (isCount) return run.say(`${name}: ${count}.`)
  run.say(most === null ? `${name}: ${count}` : `${name}:`)
  for (const item of items) {
    const due = textMember(item, 'due')
    const source = isCited ? outcome.sources.find(({ id }) => id === textMember(item, 'id')) : undefined
    const when = due === '' ? '' : `, ${term(language, 'due')} ${writeDue(due)}`
    run.say(`\n- ${quote(textMember(item, 'title'))}${when}${writeMark(run, source)}`)
  }
  if (most === null && total > items.length)
    run.say(`\n- ${language === 'en' ? 'and ' : ''}${total - items.length} ${term(language, 'more')}`)
}

/** Says how many cards are due, of one deck or of all, and the first of them. */
async function sayCards(acting: Acting, deck: string, limit = MAX_SHOWN): Promise<boolean> {
  const { run, language } = acting
  const outcome = await run.call('list_due_cards', { ...(deck && { deck }), limit: Math.max(limit, 1) })
  if (outcome.fault && deck !== '') return false
  if (sayFault(acting, outcome)) return true
  const counts = outcome.result.counts as Readonly<Record<string, number>> | undefined
  const [fresh = 0, learning = 0, review = 0] = [counts?.new, counts?.learning, counts?.review]
  const parts = language === 'en' ? ` (${fresh} new, ${learning} learning, ${review} to review).` : '.'
  run.say(write(language, 'cardsDue', fresh + learning + review, deck && `, ${term(language, 'deck')} ${deck}`) + parts)
  for (const [i, item] of listMember(outcome.result, 'items').slice(0, limit).entries())
    run.say(`\n- ${quote(textMember(item, 'front'))}${writeMark(run, outcome.sources[i])}`)
  return true
}
