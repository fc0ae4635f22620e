import type { Database } from 'bun:sqlite'
import { foldedTexts, type Texts } from '../../src/search/texts'

interface Row {
  readonly workspace: string
  readonly type: string
  readonly key: number
}

/** What tasks and facts are not found by as they are, or what is found of nothing, in words: all of it is folded anew. */
export function searchContradictions(db: Database): string[] {
  const kept = db.query<Row & Record<string, unknown>, []>('SELECT * FROM search_texts').all()
  const left = new Map(kept.map((row) => [placeOf(row), row]))
  const wrong = ({ texts, ...thing }: Row & { texts: Texts }) => {
    const row = left.get(placeOf(thing))
    left.delete(placeOf(thing))
    const differs = Object.entries(foldedTexts(texts)).filter(([column, text]) => row?.[column] !== text)
    return differs.length === 0 ? [] : [`${placeOf(thing)} is found by another ${differs.map(([column]) => column)}`]
  }
  const found = [...tasks(db), ...facts(db)].flatMap(wrong)
  return [...found, ...[...left.keys()].map((place) => `${place} is found and not there`)]
}

const placeOf = ({ workspace, type, key }: Row) => `${type} ${key} of ${workspace}`

function tasks(db: Database): (Row & { texts: Texts })[] {
  const sql = "SELECT workspace, 'task' AS type, key, title, notes, labels FROM tasks"
  return db
    .query<Row & Record<'title' | 'notes' | 'labels', string>, []>(sql)
    .all()
    .map(({ title, notes, labels, ...row }) => ({ ...row, texts: { title, tags: JSON.parse(labels), body: notes } }))
}

function facts(db: Database): (Row & { texts: Texts })[] {
  const sql = "SELECT *, 'fact' AS type FROM study_facts"
  return db
    .query<
      Row & Record<'front' | 'back' | 'text' | 'extra' | 'hint', string | null> & Record<'accepted' | 'tags', string>,
      []
    >(sql)
    .all()
    .map(({ workspace, type, key, front, back, text, extra, hint, accepted, tags }) => {
      const body = [back, extra, hint, ...JSON.parse(accepted)].filter((one) => one !== null).join('\n')
      return { workspace, type, key, texts: { title: front ?? text ?? '', tags: JSON.parse(tags), body } }
    })
}
