/** A note with all that Markdown can be, for tests and pictures. */
export const RICH_NOTE = `---
title: The garden in spring
tags: [garden, plans]
---
# The garden in spring

Last frost is on *12 April*, as the **almanac** has it; ~~20 April~~ was too careful. See [[Known beds|the beds]],
[[Compost]], #garden/spring, https://example.org/frost and \`dig --deep\`.[^1] Press <kbd>Ctrl</kbd> + <kbd>K</kbd>;
H<sub>2</sub>O, x<sup>2</sup> and <mark>a thing to remember</mark>.

## What to do

- [ ] Prune the pear tree
- [x] Order seeds from [the shop](https://example.com)
  - [x] Peas
  - [ ] Beans, both *runner* and **broad**
- Plain item
  1. First
  2. Second

> Gardening is the purest of human pleasures.
>
> > And so on.

> [!tip] Water in the evening
> Less of it *evaporates*.

> [!note]- Folded
> Hidden at first.

| Bed | What | Kilograms | Notes on the soil and what grew there before |
|:----|:----:|----------:|---------------------------------------------|
| 1   | Peas | 12.5 | Beans, then nothing; rather heavy and wet until May |
| 2   | [[Known potatoes]] | 140 | Sandy |

\`\`\`ts
const beds = await list({ where: 'garden', order: 'spring' }) // a long line that has to scroll on a narrow screen
\`\`\`

![[leaf.png|A leaf]]

![A map](https://example.org/map.png) ![[gone.png]] and [the plan](plan.pdf)

The area is $\\pi r^2$, and

$$
\\sum_{i=1}^{n} i = \\frac{n(n+1)}{2}, \\quad \\begin{pmatrix} a & b \\\\ c & d \\end{pmatrix}
$$

<details>
<summary>More</summary>

Text *within*.

</details>

### שלום עולם

זהו טקסט בעברית עם *הדגשה*.

- مرحبا بالعالم

---

[javascript](javascript:alert(1)) and <b onclick="alert(1)">raw</b>.[^long]

[^1]: In the *shed*.
[^long]: A footnote with a [link](https://example.org).
`
