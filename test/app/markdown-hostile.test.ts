import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { VECTORS } from '../notes/html-vectors'
import { markdown } from '../notes/markdown-arbitrary'
import { runs } from '../support/full'
import { elementsOf, find, makeActions, textOf, treeOf } from './markdown-tree'

/** Every element and component that may be shown, with its properties. */
const ALLOWED: Readonly<Record<string, string>> = {
  a: 'class href target rel',
  audio: '',
  blockquote: 'dir',
  br: '',
  button: 'type class title onClick',
  code: 'dir',
  del: '',
  details: 'class open dir data-callout',
  div: 'class role aria-label tabIndex dir data-callout',
  em: '',
  FileLink: 'target load',
  h1: 'id dir',
  h2: 'id dir',
  h3: 'id dir',
  h4: 'id dir',
  h5: 'id dir',
  h6: 'id dir',
  hr: '',
  input: 'type checked disabled aria-label onChange data-task indeterminate',
  Jump: 'to label',
  kbd: '',
  li: 'class id dir',
  mark: '',
  Maths: 'tex isBlock',
  MediaFile: 'target label load width height',
  ol: 'dir start',
  p: 'class dir',
  pre: 'class dir tabIndex',
  section: 'class aria-label',
  span: 'class dir title',
  strong: '',
  sub: '',
  summary: 'dir',
  sup: 'id',
  table: '',
  tbody: '',
  td: 'dir style',
  th: 'dir style',
  thead: '',
  tr: '',
  ul: 'dir',
}

const isControl = ({ name }: { readonly name: string }) => ['a', 'button', 'Jump', 'FileLink', 'input'].includes(name)

/** Says what of a body should not be shown. */
function faults(body: string): string[] {
  return elementsOf(treeOf(body)).flatMap((element) => {
    const { name, props } = element
    const isNested = name === 'a' && element.children.some((child) => elementsOf(child).some(isControl))
    if (isNested) return ['a control within a link']
    if (!Object.hasOwn(ALLOWED, name)) return [`<${name}>`]
    const known = ALLOWED[name]?.split(' ') ?? []
    const strange = Object.keys(props).filter((prop) => !known.includes(prop))
    const { href, id, style, class: className = 'markdown', target = '', to = '' } = props
    return [
      ...strange.map((prop) => `<${name} ${prop}>`),
      ...(href === undefined || /^(?:https?:\/\/[^/]|mailto:|#\/)/.test(String(href)) ? [] : [`href ${href}`]),
      ...(id === undefined || /^(?:h-|footnote-)/.test(String(id)) ? [] : [`id ${id}`]),
      ...(style === undefined || /^\{"textAlign":"\w+"\}$/.test(JSON.stringify(style)) ? [] : ['style']),
      ...(/^(?:markdown|md-[a-z-]+)$/.test(String(className)) ? [] : [`class ${className}`]),
      ...(name !== 'a' || target === '' || target === '_blank' ? [] : [`target ${target}`]),
      ...(/^(?:h-|footnote-|$)/.test(String(to)) ? [] : [`to ${to}`]),
    ]
  })
}

describe('nothing but known elements and properties is shown', () => {
  test.each(Object.entries(VECTORS))('of %s', (_, texts) => {
    expect(texts.length).toBeGreaterThan(0)
    expect(texts.flatMap(faults)).toEqual([])
    expect(faults(texts.slice(0, 2000).join('\n\n'))).toEqual([])
  })

  test('of any text', () => {
    const vector = fc.constantFrom(...Object.values(VECTORS).flat())
    const body = fc.array(fc.oneof(vector, markdown, fc.string({ unit: 'binary' })), { maxLength: 6 })
    fc.assert(
      fc.property(body, (texts) => expect(faults(texts.join(' '))).toEqual([])),
      { numRuns: runs(500) },
    )
  })

  test.each([
    '[a <https://example.com> #b](https://example.org)',
    '[a[^1] ![[b.pdf]] $d$](https://example.org)\n\n[^1]: e',
    '[![a](https://example.com/a.png) ![d](e.pdf)](Known) [![b](c.png)](Nowhere)',
  ])('%p has no control within a link', (body) => {
    expect(faults(body)).toEqual([])
    expect(find(treeOf(body), 'MediaFile').filter(({ props }) => /pdf$/.test(String(props.target)))).toEqual([])
  })

  test('is noticed when it is not so', () => {
    const actions = makeActions({ tagAddress: () => 'javascript:alert(1)' })
    expect(find(treeOf('#a', actions), 'a')[0]?.props.href).toBe('javascript:alert(1)')
    expect(faults('[x](javascript:alert(1)) <b onclick=alert(1)> ok')).toEqual([])
    expect(textOf(treeOf('<b onclick=alert(1)> ok'))).toBe('<b onclick=alert(1)> ok')
  })
})

describe('naughty strings are shown as they are', () => {
  test.each([
    ...[
      'undefined',
      'null',
      'NaN',
      'a__proto__b',
      'constructor',
      '$&',
      '$1',
      "'; DROP TABLE notes; --",
      '{{7*7}}',
      '%00%',
    ],
    ...['‮abc', '\u0000a', '\ud800a', '👩‍👩‍👧', 'Ṱ̺̺̕o͞', 'ﷺ', 'a\u2028b', '\u{e0041}b', 'שלום', '1/0'],
    ...['[toString]', '[[toString|x', '[^constructor]', 'hasOwnProperty', 'piece0-:0', '<piece0-:0>', 'a@b'],
  ])('%p', (text) => {
    expect(textOf(treeOf(text))).toBe(text.replace(/^<(.*)>$/, '$1'))
    expect(faults(`# ${text}\n\n- [ ] ${text}\n\n[[Known|${text}]] #a ![${text}](a.png)`)).toEqual([])
  })

  test.each(['piece0-:1', '<piece0-:0>', '[a](piece0-:0)', '![a](piece0-:0)', '[a]: piece0-:0\n\n[a]'])(
    '%p forges no link of ours',
    (text) => {
      expect(find(treeOf(`[[Known]] ${text}\n\n${text}`), 'a').length).toBeLessThanOrEqual(1)
    },
  )
})
