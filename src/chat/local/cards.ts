import type { ToolOutcome } from '../../tools/tool'
import { toAnswerText } from '../answer-text'
import type { EngineRun } from '../engine'
import type { Intent, NamedItem } from './grammar/intent'
import { quotePlainTitle, readNumberMember, readObjectList, readTextMember, sayFault, sayOutcome } from './outcome'
import { findOneNote, type NoteOrTask } from './targets'

type Of<Kind extends Intent['kind']> = Extract<Intent, { readonly kind: Kind }>

/** Drafts of one answer. */
const MAX_DRAFTS = 10

interface NoteDrafts {
  readonly note: NoteOrTask
  readonly drafts: readonly Readonly<Record<string, unknown>>[]
  readonly outcome: ToolOutcome
}

/** Shows drafts of cards from a note. Nothing is stored. */
export async function draftCards(run: EngineRun, { note: name }: Of<'draft_cards'>): Promise<void> {
  const drafted = await readDrafts(run, name)
  if (!drafted) return
  const { note, drafts, outcome } = drafted
  const lines = drafts.map((draft, i) => {
    const source = outcome.sources[i]
    return `${i + 1}. ${formatSides(draft)}${source ? ` [${run.cite(source)}]` : ''}`
  })
  run.say(
    `Drafts from ${quotePlainTitle(note.title)}; none is stored:\n${lines.join('\n')}\n` +
      `To store them: Make cards from the note ${quotePlainTitle(note.title)} and save them in the deck "NAME".`,
  )
}

/** Stores the drafts in the deck that the caller names. */
export async function storeCards(run: EngineRun, { note, deck }: Of<'store_cards'>): Promise<void> {
  const drafted = await readDrafts(run, note)
  if (!drafted) return
  const cards = drafted.drafts.map((draft) =>
    Object.fromEntries(
      ['type', 'front', 'back', 'text'].flatMap((name) => {
        const value = readTextMember(draft, name)
        return value === '' ? [] : [[name, value]]
      }),
    ),
  )
  sayCards(run, await run.call('create_cards', { deck, cards }))
}

/** Adds one card to a deck. */
export async function addCard(run: EngineRun, { front, back, deck }: Of<'add_card'>): Promise<void> {
  sayCards(run, await run.call('create_cards', { deck, cards: [{ front, back }] }))
}

/** The deck of cards for which none is named. */
const USUAL_DECK = 'Flashcards'
/** Cards of one call of the tool. */
const MAX_CARDS = 20

/** Adds the cards of a list to a deck. */
export async function addCards(run: EngineRun, { cards, deck }: Of<'add_cards'>): Promise<void> {
  if (cards.length > MAX_CARDS)
    return run.say(`I add at most ${MAX_CARDS} cards at once, so I added none of these ${cards.length}. Send fewer.`)
  sayCards(run, await run.call('create_cards', { deck: deck ?? USUAL_DECK, cards }))
}

/** Says how many cards were added, and how many were there already. */
function sayCards(run: EngineRun, outcome: ToolOutcome): void {
  const skipped = readNumberMember(outcome.result, 'skipped')
  sayOutcome(run, outcome, skipped > 0 ? `; ${skipped} ${skipped === 1 ? 'was' : 'were'} there already` : '')
}

async function readDrafts(run: EngineRun, name: NamedItem): Promise<NoteDrafts | null> {
  const note = await findOneNote(run, name)
  if (!note) return null
  const outcome = await run.call('suggest_cards', { id: note.id, limit: MAX_DRAFTS })
  if (sayFault(run, outcome)) return null
  const drafts = readObjectList(outcome.result, 'drafts')
  if (drafts.length > 0) return { note, drafts, outcome }
  run.say(
    `I found nothing in ${quotePlainTitle(note.title)} that has the form of a card: "Q: … A: …", "term :: definition", or a heading with its text.`,
  )
  return null
}

function formatSides(draft: Readonly<Record<string, unknown>>): string {
  const [front, back, text] = ['front', 'back', 'text'].map((name) => toAnswerText(readTextMember(draft, name)))
  return text ? text : `${front} — ${back}`
}
