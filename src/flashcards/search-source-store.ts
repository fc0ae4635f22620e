import type { Bindings } from '../db/database'
import { cutCodePoints, titleKey } from '../lib/text'
import { findKeysIn } from '../search/feed-store'
import type { Leaf, TextLeaf } from '../search/query'
import { buildKeyCondition, buildPeriodCondition, type SearchSource, type Texts } from '../search/source'
import { listCardStates } from './cards/card-store'
import { getDecksByKeys } from './decks/deck-store'
import { listFieldTexts } from './fact-writer'
import { type FactRow, getFactsByKeys } from './facts/fact-store'

/** The longest title, in code points: that of a snippet. */
const TITLE_LENGTH = 240

/** Facts for the search. The title is the front, or the cloze text with its gaps; the body has all other texts. */
export const factSource: SearchSource<'fact'> = {
  findKeys: findKeysIn('study_facts'),
  async readTexts(reader, keys) {
    const facts = await getFactsByKeys(reader, keys)
    return new Map(facts.filter(isLiving).map((fact) => [fact.key, textsOf(fact)]))
  },

  selectKeys(leaf, bind) {
    const condition = conditionOf(leaf, bind)
    return condition && `SELECT key FROM study_facts WHERE workspace = $1 AND deleted_at IS NULL AND ${condition}`
  },

  async readItems(reader, keys) {
    const facts = (await getFactsByKeys(reader, keys)).filter(isLiving)
    const decks = await getDecksByKeys(reader, [...new Set(facts.map(({ deck }) => deck))])
    const names = new Map(decks.map(({ key, id, name }) => [key, { id, name }]))
    const cards = Map.groupBy(await listCardStates(reader, keys), ({ fact }) => fact)
    return new Map(
      facts.map((fact) => {
        const { key, id, revision, updated_at } = fact
        const texts = textsOf(fact)
        const title = cutCodePoints(texts.title.replace(/[\r\n\t]/g, ' '), TITLE_LENGTH)
        const shown = {
          deck: names.get(fact.deck) ?? { id: fact.deck_id, name: '' },
          cards: (cards.get(key) ?? []).map(({ id, state }) => ({ id, state })),
        }
        return [key, { id, title, revision, updated_at, texts, shown }]
      }),
    )
  },
}

function isLiving({ deleted_at }: FactRow): boolean {
  return deleted_at === null
}

function textsOf({ type, front, back, text, extra, hint, accepted, tags, fields }: FactRow): Texts {
  if (type === 'custom') {
    const [title = '', ...others] = listFieldTexts(fields)
    return { title, tags: JSON.parse(tags), body: [...others, hint ?? ''].join('\n') }
  }
  const body = [back, extra, hint, ...(JSON.parse(accepted) as string[])].filter((one) => one !== null)
  return { title: front ?? text ?? '', tags: JSON.parse(tags), body: body.join('\n') }
}

function conditionOf(leaf: Exclude<Leaf, TextLeaf>, bind: Bindings): string | null {
  if (leaf.kind === 'created' || leaf.kind === 'updated') return buildPeriodCondition(leaf, bind)
  if (leaf.kind !== 'tag') return null
  return `key IN (SELECT fact FROM study_fact_tags
    WHERE workspace = $1 AND ${buildKeyCondition('tag_key', titleKey(leaf.text.replace(/^#/, '')), leaf.match, '::', bind)})`
}
