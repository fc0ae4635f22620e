import { analyze as analyzeWords } from '../../src/search/analyze'

/** What stands in the title, in the tags and in the body. */
type OfFields<T> = readonly [title: T, tags: T, body: T]

/** The terms of a text with their places, by the rule alone: what segments are held against. */
export function analyze(texts: OfFields<string>, marks: readonly string[] = []) {
  const { words, extras, language } = analyzeWords(texts, marks)
  const terms = new Map<string, OfFields<number[]>>()
  const add = (term: string, field: 0 | 1 | 2, place: number) => {
    const places = terms.get(term) ?? [[], [], []]
    terms.set(term, places)
    places[field].push(place)
  }
  for (const field of [0, 1, 2] as const) {
    words[field].forEach((word, place) => {
      for (const term of word.terms(language).split(' ')) add(term, field, place)
    })
    for (const term of extras[field]) add(term, field, 0)
  }
  const lengths = [words[0].length, words[1].length, words[2].length] as const
  return { terms, lengths, language }
}

export type Analyzed = ReturnType<typeof analyze>
