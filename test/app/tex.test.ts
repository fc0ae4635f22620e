import { describe, expect, test } from 'bun:test'
import type { ComponentChildren, VNode } from 'preact'
import { showTex } from '../../app/markdown/tex'

interface Seen {
  readonly name: string
  readonly props: Readonly<Record<string, unknown>>
}

/** Lists the elements of a formula, and adds its text as one that is called `#text`. */
function read(child: ComponentChildren): Seen[] {
  if (Array.isArray(child)) return child.flatMap(read)
  if (child === null || child === undefined || typeof child !== 'object')
    return [{ name: '#text', props: { text: child } }]
  const { type, props } = child as VNode
  const { children, ...rest } = props
  return [{ name: String(type), props: rest }, ...read(children)]
}

const namesOf = (tex: string) => read(showTex(tex, true)).map(({ name }) => name)

describe('TeX becomes MathML', () => {
  test.each([
    ['a^2', ['math', 'msup', 'mi', 'mn']],
    [String.raw`\frac{a}{b}`, ['mfrac']],
    [String.raw`\begin{pmatrix}a&b\\c&d\end{pmatrix}`, ['mtable', 'mtr', 'mtd']],
    [String.raw`\sum_{i=0}^n x_i`, ['munderover', 'mo']],
    [String.raw`\begin{align}a&=b\\c&=d\end{align}`, ['mtable']],
    [String.raw`\sqrt[3]{x} \text{if } x \in \mathbb{R}`, ['mroot', 'mtext']],
  ])('%s', (tex, names) => {
    for (const name of names) expect(namesOf(tex)).toContain(name)
    expect(namesOf(tex)).not.toContain('merror')
  })

  test('a formula of its own is one block', () => {
    expect(showTex('a', true)?.props).toMatchObject({ display: 'block' })
    expect(showTex('a', false)?.props).not.toMatchObject({ display: 'block' })
  })

  test.each([String.raw`\frac{a}`, '{', 'a'.repeat(6000), String.raw`\def\a{\a\a}\a`, String.raw`\unknown{`])(
    '%s is none',
    (tex) => {
      expect(showTex(tex, true)).toBeNull()
    },
  )

  test.each([
    String.raw`\href{javascript:alert(1)}{x}`,
    String.raw`\url{https://example.org}`,
    String.raw`\includegraphics{https://example.org/x.png}`,
    String.raw`\style{background:url(https://example.org)}{x}`,
    String.raw`\class{md-file}{x} \id{a}{x} \data{a=b}{x}`,
    String.raw`\color{url(https://example.org)}{x}`,
    String.raw`\colorbox{red;background:url(x)}{x} \textcolor{blue}{y}`,
    String.raw`\text{<img src=x onerror=alert(1)>}`,
    String.raw`\label{a} \tag{<script>} x`,
    String.raw`\rule{1000em}{1000em} \kern99999em \raisebox{99999em}{x}`,
  ])('%s does nothing', (tex) => {
    for (const { name, props } of read(showTex(tex, true))) {
      expect(name).toMatch(/^(?:m[a-z]+|none|#text)$/)
      if (name === '#text') continue
      for (const prop of Object.keys(props)) expect(prop).not.toMatch(/^(?:on|href|src|id|data|action|xlink)/i)
      expect(JSON.stringify([props.style ?? {}, props.mathbackground ?? '', props.mathcolor ?? ''])).not.toMatch(
        /url|[\\;]/i,
      )
      expect(String(props.class ?? 'tml-')).toMatch(/^(?:tml-[a-z-]+ ?)+$|^tml-$/)
    }
  })
})
