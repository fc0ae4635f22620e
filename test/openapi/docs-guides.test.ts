import { afterAll, describe, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { SETTINGS } from '../../src/config'
import { GUIDES } from '../../src/openapi/guides'
import { needsPrograms, readBlocks, runGuide } from '../support/guides'
import { makeWorld } from '../support/world'

const ROOT = `${import.meta.dir}/../..`
const world = await makeWorld()
const base = world.listen().slice(0, -1)
afterAll(() => world.close())
