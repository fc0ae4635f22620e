import { expect, test } from 'bun:test'
import { ApiError, ERRORS } from '../../src/http/api-error'
import { errorResponse } from '../../src/http/error-format'
import { renderErrorsPage } from '../../src/openapi/reference-pages'

test('every code has an anchor, its status and its title', () => {
  const html = renderErrorsPage()
  for (const [code, { status, title }] of Object.entries(ERRORS)) {
    expect(html).toContain(`<article class="problem" id="${code}">`)
    expect(html).toContain(`${status} ${title}`)
  }
})

test('help is text: backquotes become code, and nothing in it becomes markup', () => {
  const html = renderErrorsPage()
  expect(html).toContain('<code>errors</code> points at each')
  expect(html).not.toContain('`')
  expect([...html.matchAll(/<article/g)].length).toBe(Object.keys(ERRORS).length)
})

test('the page loads only what the other pages of the documentation load, and has nothing inline', () => {
  expect(renderErrorsPage()).not.toMatch(/<script>|style=|\son\w+=/)
  const loaded = [...renderErrorsPage().matchAll(/(?:<link [^>]*href|src)="([^"]*)"/g)].map(([, address]) => address)
  expect(loaded).toEqual(['../icon.svg', '../style.css', '../docs-pages.css', '../docs.js', '../icon.svg'])
})

test('the shape of a failure is shown by an example, with every member that a response has', async () => {
  const shown = /<pre[^>]*>([^<]*)<\/pre>/.exec(renderErrorsPage())?.[1] ?? ''
  const example = JSON.parse(shown.replaceAll('&quot;', '"'))
  const real = await errorResponse(new ApiError('not_found', example.detail), '/api/notes/1', example.request_id).json()
  expect(example).toEqual(real)
})
