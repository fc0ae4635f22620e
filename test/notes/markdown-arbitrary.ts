import fc from 'fast-check'

const PIECES =
  `# ## > - * + 1. 2) [ ] [x] [[ ]] [[T]] ![[E#h|a]] ![ ]( ]: [a]: [a] [a][b] [a](b.md) [a](<b c.md#d> [r]:<e.md> (#t #tag #1 \` \`\` \`\`\` ~~~ ~ _ ** *
  %% <!-- --> < > <b> </b> <div> <pre> </pre> <? ?> <a b=" " ' = === --- *** | \\ \\| & &amp; &#65; :// http://x a b1 é 会 😀`
    .split(/\s+/)
    .concat('\n', '\n', '\n', '\n\n', ' ', ' ', '  ', '    ', '\t', '\u2028', '\u00a0')

/** Bodies of pieces that mean something to Markdown, with LF line ends. */
export const markdown = fc.array(fc.constantFrom(...PIECES), { maxLength: 40 }).map((pieces) => pieces.join(''))
