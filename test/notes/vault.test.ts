import { testVaults } from './vaults'

testVaults([1, 2])
