import { describe, expect, test } from 'bun:test'
import { cardFaults, inner, renderFact, renderNote } from './inert'

const show = async (Front: string) => inner((await renderNote({ question: '{{Front}}', fields: { Front } })).prompt)

/** As people write them, of schools and universities. */
const FORMULAS = String.raw`x^2 + y^2 = z^2
\frac{-b \pm \sqrt{b^2-4ac}}{2a}
\int_0^\infty e^{-x^2}\,dx = \frac{\sqrt\pi}{2}
\sum_{n=1}^{\infty} \frac{1}{n^2} = \frac{\pi^2}{6}
\lim_{x \to 0} \frac{\sin x}{x} = 1
\begin{pmatrix} a &amp; b \\ c &amp; d \end{pmatrix}
\begin{cases} x &amp; x \ge 0 \\ -x &amp; x &lt; 0 \end{cases}
\begin{aligned} a &amp;= b + c \\ &amp;= d \end{aligned}
\vec{F} = m\vec{a}
\hat{H}\psi = E\psi
\nabla \times \mathbf{E} = -\frac{\partial \mathbf{B}}{\partial t}
\mathbb{R}^n \to \mathcal{L}(V)
\overbrace{a+b}^{n}\underbrace{c}_{m}
\left( \frac{a}{b} \right)^{\!2}
\binom{n}{k} = \frac{n!}{k!(n-k)!}
\text{if } x &gt; 0 \text{ and } y
\operatorname{rank}(A) \leq \min(m,n)
\sqrt[3]{x+y}
a \xrightarrow{\text{heat}} b
\ce{H2O + CO2 -> H2CO3}
\ce{^{227}_{90}Th+}
\color{red}{x} + \textcolor{blue}{y}
\boxed{E = mc^2}
\overline{AB} \parallel \underline{CD}
\forall \epsilon &gt; 0\ \exists \delta
\begin{array}{c|c} a &amp; b \\ \hline c &amp; d \end{array}
\dfrac{dy}{dx} = \tfrac12 x
\mathrm{pH} = -\log_{10}[\mathrm{H}^+]
\oint_{\partial\Sigma} \mathbf{B}\cdot d\boldsymbol{\ell}
\cancel{x} \not= y`.split('\n')

describe('maths', () => {
  test('is MathML for formulas of every kind', async () => {
    expect(FORMULAS.length).toBe(30)
    for (const formula of FORMULAS) {
      const html = await show(`a \\(${formula}\\) b`)
      expect([formula, html.replace(/<math[\s\S]*<\/math>/, '…')]).toEqual([formula, 'a … b'])
      expect(cardFaults(html)).toEqual([])
    }
  })

  test.each([
    ['\\(x\\)', '<math>'],
    ['\\[x\\]', '<math display="block"'],
    ['[$]x[/$]', '<math>'],
    ['[$$]x[/$$]', '<math display="block"'],
    ['[latex]$x$ and \\(y\\)[/latex]', '<math>'],
    ['[latex]\\$5, $x$[/latex]', '$5, <math>'],
    ['[latex]\\begin{matrix}x\\end{matrix}[/latex]', '<math display="block"'],
  ])('%s begins with %s', async (text, start) => {
    expect(await show(text)).toStartWith(start)
  })

  test.each([
    ['\\(\\unknown{x}\\)'],
    ['\\(\\frac{1\\)'],
    ['\\(\\href{https://a.example}{x}\\)'],
    ['\\(\\includegraphics{https://a.example/x.png}\\)'],
    ['it costs $5 and 6$'],
    ['$x_1$ and $$x$$'],
    ['\\$x_1\\$'],
    ['\\(\\def\\a{\\a\\a}\\a\\)'],
    [
      '\\(\\def\\a{xxxxxxxxxx}\\def\\b{\\a\\a\\a\\a\\a\\a\\a\\a\\a\\a}\\def\\c{\\b\\b\\b\\b\\b\\b\\b\\b\\b\\b}\\def\\d{\\c\\c\\c\\c\\c\\c\\c\\c\\c\\c}\\d\\d\\)',
    ],
  ])('%s is shown as it is', async (text) => {
    expect(await show(text)).toBe(Bun.escapeHTML(text))
  })

  test('is bounded: one formula, all of them, and what macros make of it', async () => {
    expect(await show(`\\(${'x+'.repeat(2500)}x\\)`)).toStartWith('\\(')
    const long = `\\(\\begin{array}{c}${'a&amp;'.repeat(700)}a\\end{array}\\)`
    const html = await show(Array(60).fill(long).join(' '))
    expect(html.length).toBeLessThan(1_500_000)
    expect(html).toContain('<math>')
    expect(html).toEndWith('\\end{array}\\)')
    expect(await show(`\\(\\rule{1000000em}{1em}\\)`)).not.toContain('1000000')
  })

  test('the style sheet of a card draws the line of a crossed-out term', async () => {
    const { prompt } = await renderNote({ question: '{{Front}}', fields: { Front: '\\(\\cancel{x}\\)' } })
    expect(prompt).toMatch(/\.tml-updiagonalstrike:where\([^)]*\)\{background:linear-gradient\(/)
    expect(prompt).toContain('class="tml-updiagonalstrike"')
  })

  test('a macro of one formula is unknown to the next', async () => {
    expect(await show('\\(\\def\\q{7}\\q\\) \\(\\q\\)')).toEndWith('\\(\\q\\)')
    expect(await show('\\(\\gdef\\q{7}\\q\\) \\(\\q\\)')).toEndWith('\\(\\q\\)')
  })

  test('of Markdown stays out of Markdown, and of descriptions', async () => {
    const { prompt } = await renderFact({ front: '$a_1 * b_2$ *x* ![$c_1$](https://a.example/x.png)' })
    expect(inner(prompt)).toMatch(
      /^<math><mrow>.*<\/math> <em>x<\/em> <a href="https:\/\/a.example\/x.png">\$c_1\$<\/a>$/,
    )
  })

  test.each([
    ['`$this->$name` `\\(x\\)`', '<code>$this-&gt;$name</code> <code>\\(x\\)</code>'],
    ['<code>$this->$name</code>', '<code>$this-&gt;$name</code>'],
    ['```\n[$]x[/$]\n```', '<pre><code>[$]x[/$]\n</code></pre>'],
    ['\\$x_1\\$ \\\\(b\\\\) \\[latex]c[/latex]', '$x_1$ \\(b\\) [latex]c[/latex]'],
  ])('is none in code and behind a backslash: %s', async (front, html) => {
    expect(inner((await renderFact({ front })).prompt)).toBe(html)
  })

  test.each([['<code>$this-&gt;$name \\(x\\)</code>'], ['<pre class="x">[$]a[/$]<b>\\[b\\]</b></pre>']])(
    'is none in code of a field: %s',
    async (field) => {
      expect(await show(field)).toBe(field)
    },
  )
})
