// Two packets go to two tiles. One adds them up; the other copies them, in bytes, to where they came from.
module {
  aie.device(npu2) {
    %shim = aie.tile(1, 0)
    %near = aie.tile(1, 2)
    %far = aie.tile(1, 3)
    aie.packet_flow(3) { aie.packet_source<%shim, DMA : 0> aie.packet_dest<%near, DMA : 1> aie.packet_dest<%far, DMA : 0> } {keep_pkt_header = true}
    aie.flow(%near, DMA : 0, %shim, DMA : 0)
    %bytes = aie.buffer(%near) {sym_name = "bytes"} : memref<136xi8>
    %more = aie.lock(%near, 0) {init = 2 : i32, sym_name = "more"}
    %full = aie.lock(%near, 1) {init = 0 : i32, sym_name = "full"}
    %done = aie.lock(%near, 2) {init = 0 : i32, sym_name = "done"}
    %words = aie.buffer(%far) {sym_name = "words"} : memref<17xi32>
    %core_1_2 = aie.core(%near) {
      %one = arith.constant 1 : i32
      %true = arith.constant true
      scf.while : () -> () {
        scf.condition(%true)
      } do {
        aie.use_lock(%full, AcquireGreaterEqual, %one)
        aie.use_lock(%done, Release, %one)
        scf.yield
      }
      aie.end
    }
    %dma_1_2 = aie.mem(%near) {
      %one = arith.constant 1 : i32
      %d0 = aie.dma_start(S2MM, 1, ^in, ^s1)
      ^in:
        aie.use_lock(%more, AcquireGreaterEqual, %one)
        aie.dma_bd(%bytes : memref<136xi8> offset = 0 len = 68)
        aie.use_lock(%full, Release, %one)
        aie.next_bd ^in
      ^s1:
      %d1 = aie.dma_start(MM2S, 0, ^out, ^end, repeat_count = 1)
      ^out:
        aie.use_lock(%done, AcquireGreaterEqual, %one)
        aie.dma_bd(%bytes : memref<136xi8> offset = 0 len = 32)
        aie.next_bd ^out2
      ^out2:
        aie.dma_bd(%bytes : memref<136xi8> offset = 32 len = 36)
        aie.use_lock(%more, Release, %one)
        aie.next_bd ^end
      ^end:
        aie.end
    }
    %dma_1_3 = aie.mem(%far) {
      %d0 = aie.dma_start(S2MM, 0, ^words, ^end)
      ^words:
        aie.dma_bd(%words : memref<17xi32>)
        aie.next_bd ^words
      ^end:
        aie.end
    }
    aie.shim_dma_allocation @in(%shim, MM2S, 0)
    aie.shim_dma_allocation @out(%shim, S2MM, 0)
    aie.runtime_sequence(%in: memref<32xi32>, %out: memref<34xi32>) {
      aiex.npu.dma_memcpy_nd(%in[0, 0, 0, 0][2, 1, 4, 4][16, 0, 4, 1], packet = <pkt_id = 3, pkt_type = 0>) {id = 0 : i64, metadata = @in} : memref<32xi32>
      aiex.npu.dma_memcpy_nd(%out[0, 0, 0, 0][1, 1, 1, 34][0, 0, 0, 1]) {id = 1 : i64, issue_token = true, metadata = @out} : memref<34xi32>
      aiex.npu.dma_wait {symbol = @out}
    }
  }
}

// -----

module {
  aie.device(npu2) {
    %shim_noc_tile_1_0 = aie.tile(1, 0) {controller_id = #aie.packet_info<pkt_type = 0, pkt_id = 15>}
    %mem_tile_1_1 = aie.tile(1, 1)
    %tile_1_2 = aie.tile(1, 2)
    %tile_1_3 = aie.tile(1, 3)
    %shim_mux_1_0 = aie.shim_mux(%shim_noc_tile_1_0) {
      aie.connect<DMA : 0, North : 3>
      aie.connect<North : 2, DMA : 0>
    }
    %switchbox_1_0 = aie.switchbox(%shim_noc_tile_1_0) {
      aie.connect<North : 1, South : 2>
      %0 = aie.amsel<2> (0)
      %1 = aie.amsel<5> (3)
      %2 = aie.masterset(North : 0, %0)
      %3 = aie.masterset(South : 0, %1) {keep_pkt_header = true}
      aie.packet_rules(South : 3) {
        aie.rule(31, 3, %0)
      }
      aie.packet_rules(TileControl : 0) {
        aie.rule(31, 15, %1) {priority_route}
      } {is_ctrl_pkt_overlay}
    }
    %switchbox_1_1 = aie.switchbox(%mem_tile_1_1) {
      aie.connect<North : 1, South : 1>
      %0 = aie.amsel<2> (0)
      %1 = aie.masterset(North : 4, %0)
      aie.packet_rules(South : 0) {
        aie.rule(31, 3, %0)
      }
    }
    %switchbox_1_2 = aie.switchbox(%tile_1_2) {
      aie.connect<DMA : 0, South : 1>
      %0 = aie.amsel<1> (2)
      %1 = aie.amsel<1> (3)
      %2 = aie.masterset(DMA : 1, %0, %1) {keep_pkt_header = true}
      %3 = aie.masterset(North : 1, %1)
      aie.packet_rules(South : 4) {
        aie.rule(31, 9, %0)
        aie.rule(28, 0, %1)
      }
    }
    %switchbox_1_3 = aie.switchbox(%tile_1_3) {
      %0 = aie.amsel<0> (0)
      %1 = aie.masterset(DMA : 0, %0) {keep_pkt_header = true}
      aie.packet_rules(South : 1) {
        aie.rule(31, 3, %0)
      }
    }
  }
}
