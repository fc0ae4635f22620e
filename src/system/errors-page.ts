/** /docs/errors: every error code, what it means and what to do about it, from the one table of codes. */
import { PROBLEMS } from '../http/problem-codes'

type Code = keyof typeof PROBLEMS

/** The whole page as HTML. Each code is an anchor, since the `type` of an error response points at it. */
export function errorsPage(): string {
  const codes = (Object.keys(PROBLEMS) as Code[]).sort((a, b) => PROBLEMS[a].status - PROBLEMS[b].status)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Error codes · Satchel</title>
<link rel="stylesheet" href="/docs.css">
</head>
<body>
<nav><a href="/">Key page</a> <a href="/docs">Endpoints</a></nav>
<main>
<h1>Error codes</h1>
<p>Every failure has the same shape, with one of these values as its <code>code</code>. Codes are stable: one may be added, none changes its meaning.</p>
${codes.map(section).join('\n')}
</main>
</body>
</html>
`
}

function section(code: Code): string {
  const { status, title, help } = PROBLEMS[code]
  return `<section id="${code}">
<h2><a href="#${code}"><code>${code}</code></a></h2>
<p class="status">${status} ${Bun.escapeHTML(title)}</p>
<p>${Bun.escapeHTML(help).replace(/`([^`]+)`/g, '<code>$1</code>')}</p>
</section>`
}
