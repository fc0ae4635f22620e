import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { cutExcerpt, EXCERPT_CHARS, findMentions, getWindowStart } from '../../src/notes/links/body-links'
import { toNameKey } from '../../src/notes/links/names'
import { isSpellable, type LinkSpelling, rewriteLinks, spellById } from '../../src/notes/links/rewrite-links'
import { scanMarkdown } from '../../src/notes/markdown/scan-markdown'
import { runs } from '../support/full'

const ID = '01890000-0000-7000-8000-000000000001'
const odd = fc.constantFrom(
  ...'` `` %% <!-- --> <b > [ ] | # \\ ![ ~~~ word \u{1f682} Trip [[Trip]] [[trip|a]] ![[Trip#h]] [[Other]]'.split(' '),
  ...'[[Trip.md]] [x](Trip.md) ![](<Trip.md#h>) [x](https://x.y/Trip.md)'.split(' '),
  ...['\n', '\n\n', '    ', ' '],
)
const body = fc.array(odd, { maxLength: 25 }).map((parts) => parts.join(''))
const title = fc
  .array(
    odd.filter((part) => !part.includes('\n')),
    { minLength: 1, maxLength: 4 },
  )
  .map((parts) => parts.join(''))
  .filter((text) => text.trim() !== '')

/** Rewrites the links to Trip, which is in the root like the body. */
function rewriteTrip(text: string, wanted: LinkSpelling, safe: LinkSpelling, name = 'Tour') {
  const rewrite = {
    wanted,
    safe,
    step: 'by_name',
    path: { folder: null, name },
    plainLeads: true,
    pathLeads: true,
  } as const
  return rewriteLinks(text, new Map([['trip', rewrite]]), { from: null, to: null })
}

describe('rewriting links', () => {
  test('in any body and to any title leaves the same links but for their targets, and the same code', () => {
    fc.assert(
      fc.property(body, title, (text, name) => {
        const safe = spellById(ID, name)
        const spelling = isSpellable(name) ? { target: name, display: null } : safe
        const rewritten = rewriteTrip(text, spelling, safe, name)
        if (rewritten === null) return
        const [before, after] = [scanMarkdown(text), scanMarkdown(rewritten)]
        const targets = after.links.map(({ target }) => toNameKey(target))
        expect(after.links.map(({ heading, embed }) => [heading, embed])).toEqual(
          before.links.map(({ heading, embed }) => [heading, embed]),
        )
        before.links.forEach(({ target, alias }, i) => {
          if (toNameKey(target) !== 'trip') expect(targets[i]).toBe(toNameKey(target))
          else expect([toNameKey(name), `note:${ID}`]).toContain(targets[i] ?? '')
          if (alias !== null) expect(after.links[i]?.alias).toBe(alias)
        })
        const code = (source: string) => scanMarkdown(source).code.map(({ start, end }) => source.slice(start, end))
        expect(code(rewritten)).toEqual(code(text))
      }),
      { numRuns: runs(3000) },
    )
  })

  test('never fails on text whose links stand in plain lines', () => {
    fc.assert(
      fc.property(title, (name) => {
        const safe = spellById(ID, name)
        expect(rewriteTrip('a ` b [[Trip]] %% c', safe, safe)).not.toBeNull()
      }),
    )
  })

  test('to what it says already changes nothing', () => {
    fc.assert(
      fc.property(body, (text) => {
        const plain = text.replaceAll('[[trip|', '[[Trip|')
        expect(rewriteTrip(plain, { target: 'Trip', display: null }, spellById(ID, 'Trip'))).toBe(plain)
      }),
    )
  })

  test.each(['a', 'A/B', 'Ä \u{1f682}', "it's (1), 50% & more", 'a:b'])('%j can be spelled', (name) => {
    expect(isSpellable(name)).toBe(true)
  })

  test.each(['a[b', 'a]b', 'a|b', 'a#b', 'a^b', ' ', '\\'])('%j cannot', (name) => {
    expect(isSpellable(name)).toBe(false)
  })
})

test('an excerpt is one line of at most 240 characters, and its ranges are the places', () => {
  const text = fc
    .array(fc.constantFrom('a', ' ', '\n', '\r\n', '\u{1f682}', 'word '), { maxLength: 400 })
    .map((parts) => parts.join(''))
  fc.assert(
    fc.property(text, text, (ahead, behind) => {
      const whole = [...`${ahead}[[x]]${behind}`]
      const place = [...ahead].length
      const from = getWindowStart(place)
      const window = whole.slice(from, from + EXCERPT_CHARS).join('')
      const excerpt = cutExcerpt(window, from, [place, place + 5])
      const chars = [...excerpt.text]
      expect(chars.length).toBeLessThanOrEqual(EXCERPT_CHARS)
      expect(excerpt.text).not.toMatch(/[\r\n]/)
      expect(excerpt.ranges.map(([start, end]) => chars.slice(start, end).join(''))).toEqual(['[[x]]'])
    }),
  )
})

describe('mentions', () => {
  const found = (text: string, name: string) => {
    const [chars, places] = [[...text], findMentions(text, name)]
    return places.flatMap((start, i) => (i % 2 === 0 ? [chars.slice(start, places[i + 1]).join('')] : []))
  }

  test('are whole words outside of links, code and comments', () => {
    const text = "\u{1f682} Trip [[Trip]] trip's `Trip` trips <!-- Trip --> TRIP\n\n    Trip\n\n[[x|Trip]](Trip)"
    expect(found(text, 'trip')).toEqual(['Trip', 'trip', 'TRIP', 'Trip'])
  })

  test('take the signs of a title as they are', () => {
    expect(found('C++ is not C; a.b is not axb', 'C++')).toEqual(['C++'])
    expect(found('a.b is not axb', 'a.b')).toEqual(['a.b'])
    expect(found('one  two\nthree', 'one two three')).toEqual(['one  two\nthree'])
  })
})
