import { expect, test } from 'bun:test'
import { PROBLEMS } from '../../src/http/problem-codes'
import { errorsPage } from '../../src/system/errors-page'

test('every code has an anchor, its status and its title', () => {
  const html = errorsPage()
  for (const [code, { status, title }] of Object.entries(PROBLEMS)) {
    expect(html).toContain(`<section id="${code}">`)
    expect(html).toContain(`${status} ${title}`)
  }
})

test('help is text: backquotes become code, and nothing in it becomes markup', () => {
  const html = errorsPage()
  expect(html).toContain('<code>errors</code> points at each')
  expect(html).not.toContain('`')
  expect([...html.matchAll(/<section/g)].length).toBe(Object.keys(PROBLEMS).length)
})

test('the page runs no script and loads only its stylesheet', () => {
  expect(errorsPage()).not.toMatch(/<script|style=|src=|\son\w+=/)
  expect(errorsPage().match(/<link [^>]*>/g)).toEqual(['<link rel="stylesheet" href="/docs.css">'])
})
